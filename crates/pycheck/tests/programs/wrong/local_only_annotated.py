# expect: PY103 4:12
def f():
    x: int
    return x
