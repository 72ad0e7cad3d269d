# expect: PY401 2:6
vars(__builtins__)["eval"]
