# expect: PY501 2:16
context["x"] = {1, 2}
