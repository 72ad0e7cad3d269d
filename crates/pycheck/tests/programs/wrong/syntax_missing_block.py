# expect: PY001 3:1
def f():
return 1
