# expect: PY201 3:7
# context: a
print(context["b"])
context["b"] = 1
