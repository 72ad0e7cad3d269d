# expect: PY401 2:5
e = eval
e("1")
