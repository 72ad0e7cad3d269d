# expect: PY202 3:9
# context: a
value = context.get("b")
print(value + 1)
