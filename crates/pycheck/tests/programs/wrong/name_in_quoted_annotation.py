# expect: PY101 2:10
def f(x: "Missing") -> None:
    return x
