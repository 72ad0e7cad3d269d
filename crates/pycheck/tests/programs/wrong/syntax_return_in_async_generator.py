# expect: PY002 4:5
async def f():
    yield 1
    return 2
