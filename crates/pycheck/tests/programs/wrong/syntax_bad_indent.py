# expect: PY001 3:1
x = 1
    y = 2
