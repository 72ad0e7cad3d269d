# expect: PY101 2:6
with opener() as f:
    print(f)
