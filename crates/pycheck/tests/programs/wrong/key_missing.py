# expect: PY201 3:7
# context: existing_key
print(context["nonexistent_key"])
