# expect: PY501 2:16
context["x"] = map(str, [1])
