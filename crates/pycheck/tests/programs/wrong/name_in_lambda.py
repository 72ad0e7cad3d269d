# expect: PY101 2:19
f = lambda a: a + b
