# expect: PY301 2:1
import sys as s
def f():
    return s.modules["os"]
