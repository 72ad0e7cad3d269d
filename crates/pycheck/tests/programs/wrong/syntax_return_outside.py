# expect: PY002 2:1
return 1
