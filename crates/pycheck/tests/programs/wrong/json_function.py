# expect: PY501 4:16
def f():
    return 1
context["x"] = f
