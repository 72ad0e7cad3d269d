# expect: PY501 2:17
context["x"] = {(1, 2): 3}
