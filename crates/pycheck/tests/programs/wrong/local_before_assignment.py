# expect: PY103 4:11
total = 0
def f():
    print(total)
    total = 1
