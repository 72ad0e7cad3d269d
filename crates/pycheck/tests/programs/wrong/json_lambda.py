# expect: PY501 2:16
context["x"] = lambda: 1
