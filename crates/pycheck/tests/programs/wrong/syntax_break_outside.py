# expect: PY002 3:5
if 1:
    break
