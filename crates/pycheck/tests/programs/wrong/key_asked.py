# expect: PY202 3:7
# context: a
print(context.get("b").upper())
