# expect: PY102 2:10
result = helper()
def helper():
    return 1
