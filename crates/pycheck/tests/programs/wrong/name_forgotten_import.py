# expect: PY101 4:12
# expect: PY101 4:27
def f(x):
    return math.sqrt(x) + math.pi
