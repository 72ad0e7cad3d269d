# expect: PY501 2:27
context["x"] = {"a": [1, ({2}, 3)]}
