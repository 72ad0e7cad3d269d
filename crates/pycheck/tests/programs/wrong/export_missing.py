# expect: PY104 2:17
__all__ = ["f", "g"]
def f():
    return 1
