# expect: PY101 2:10
def f(x: List[int]) -> int:
    return x
