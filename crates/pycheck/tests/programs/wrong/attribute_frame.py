# expect: PY402 4:11
def f():
    yield 1
print(f().gi_frame)
