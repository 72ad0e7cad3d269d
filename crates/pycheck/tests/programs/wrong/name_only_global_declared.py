# expect: PY101 4:12
def f():
    global table
    return table
