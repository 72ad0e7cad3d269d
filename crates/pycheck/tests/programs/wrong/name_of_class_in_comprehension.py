# expect: PY101 4:14
class A:
    limit = 3
    sizes = [limit for _ in range(3)]
