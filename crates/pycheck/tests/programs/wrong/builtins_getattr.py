# expect: PY401 2:9
getattr(__builtins__, "ev" + "al")
