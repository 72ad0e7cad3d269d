# expect: PY101 2:5
del x
