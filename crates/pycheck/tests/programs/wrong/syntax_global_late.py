# expect: PY002 4:12
def f():
    x = 1
    global x
