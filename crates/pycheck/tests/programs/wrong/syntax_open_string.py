# expect: PY001 2:5
x = "abc
