# expect: PY501 4:16
class A:
    pass
context["x"] = A
