# expect: PY201 3:1
# context: a
context.pop("n")
