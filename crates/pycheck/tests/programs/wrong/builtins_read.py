# expect: PY401 2:5
x = __builtins__
