# expect: PY001 3:10
x = 1
if x == 1
    print(x)
