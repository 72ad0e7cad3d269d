# expect: PY401 2:1
exec("x = 1")
