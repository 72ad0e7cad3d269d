# expect: PY401 2:1
compile("1", "x", "eval")
