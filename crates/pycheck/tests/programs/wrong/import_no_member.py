# expect: PY303 2:22
from math import pi, no_such_name as n
