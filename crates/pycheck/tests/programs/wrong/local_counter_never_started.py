# expect: PY103 5:13
def f(items):
    for item in items:
        if item:
            count += 1
    return count
