# expect: PY401 2:19
functions = [len, exec]
