# expect: PY002 2:1
__debug__ = 1
