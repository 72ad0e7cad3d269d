# expect: PY101 3:13
def f(items):
    return [i for item in items]
