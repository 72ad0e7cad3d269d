import functools
BASE = 2
@functools.lru_cache(maxsize=BASE)
def power(x, base=BASE):
    return base ** x
print(power(2))
