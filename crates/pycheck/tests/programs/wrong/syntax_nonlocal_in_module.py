# expect: PY002 2:1
nonlocal x
