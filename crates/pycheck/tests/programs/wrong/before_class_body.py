# expect: PY102 3:12
class A:
    size = SIZE
SIZE = 3
