# expect: PY103 4:19
def f(items):
    for item in items:
        if item > best:
            best = item
    return best
