# expect: PY002 3:14
def f():
    nonlocal x
    x = 1
