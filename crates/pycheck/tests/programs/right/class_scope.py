LIMIT = 3
class A:
    LIMIT = LIMIT
    sizes = [n for n in range(LIMIT)]
    other = sizes
    def f(self):
        return __class__, self.sizes, LIMIT
    where = __module__, __qualname__
