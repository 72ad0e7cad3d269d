# expect: PY101 6:12
def a():
    value = 1
    return value
def b():
    return value
