import math
import json as j
try:
    import no_such_thing as fast
except ImportError:
    import math as fast
x = math.sqrt(4) + fast.no_such_maybe
y = j.dumps([1])
class A:
    no_such = 1
z = A.no_such
if hasattr(math, 'no_such'):
    w = 1
