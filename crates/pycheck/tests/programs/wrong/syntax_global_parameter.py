# expect: PY002 3:12
def f(x):
    global x
