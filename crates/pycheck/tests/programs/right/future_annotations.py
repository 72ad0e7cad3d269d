from __future__ import annotations
def f(x: Later) -> Later:
    return x
class Later:
    pass
print(f)
