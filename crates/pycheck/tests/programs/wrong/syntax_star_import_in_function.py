# expect: PY002 3:5
def f():
    from math import *
