# expect: PY501 3:22
# expect: PY501 3:30
context.update({"a": {1}}, b=b"x")
