# expect: PY501 2:16
context["x"] = {i for i in range(3)}
