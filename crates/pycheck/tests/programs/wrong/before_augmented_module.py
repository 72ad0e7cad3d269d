# expect: PY102 2:1
count += 1
