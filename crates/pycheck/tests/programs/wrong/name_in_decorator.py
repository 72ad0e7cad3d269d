# expect: PY101 2:2
@cache
def f():
    return 1
