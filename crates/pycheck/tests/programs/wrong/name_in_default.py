# expect: PY101 2:9
def f(x=y):
    return x
