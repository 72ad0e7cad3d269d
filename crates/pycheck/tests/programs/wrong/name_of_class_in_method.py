# expect: PY101 5:16
class A:
    limit = 3
    def f(self):
        return limit
