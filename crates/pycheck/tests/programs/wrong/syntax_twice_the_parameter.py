# expect: PY002 2:10
def f(x, x):
    pass
