# expect: PY101 3:11
try:
    print(missing)
except OSError:
    pass
