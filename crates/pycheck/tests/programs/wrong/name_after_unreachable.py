# expect: PY101 4:12
def f():
    raise ValueError
    return missing
