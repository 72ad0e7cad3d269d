# expect: PY002 2:1
*a, *b = [1, 2]
