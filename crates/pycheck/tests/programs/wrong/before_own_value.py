# expect: PY102 2:5
x = x + 1
