# expect: PY001 2:11
def broken(
    pass
