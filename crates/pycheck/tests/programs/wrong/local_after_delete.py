# expect: PY103 5:12
def f():
    x = 1
    del x
    return x
