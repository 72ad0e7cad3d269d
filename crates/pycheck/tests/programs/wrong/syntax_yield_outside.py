# expect: PY002 3:1
x = 1
yield x
