# expect: PY103 3:11
def f(n):
    while i < n:
        i = i + 1
    return i
