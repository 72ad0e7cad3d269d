# expect: PY103 6:13
# expect: PY103 7:25
def f(items):
    for item in items:
        if item > 1:
            start += "a"
            end = "b" + end
        if item > 2:
            start += "c"
            end = "d" + end
    return start, end
