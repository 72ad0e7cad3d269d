__all__ = ["f", "LIMIT"]
LIMIT = 1
def f():
    return LIMIT
