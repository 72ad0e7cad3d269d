# expect: PY402 4:9
def f():
    return 1
print(f.__globals__)
