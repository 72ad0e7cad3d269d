# expect: PY501 2:16
context["x"] = 2j
