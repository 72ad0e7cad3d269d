import math
from math import pi
from collections import Counter, defaultdict
print(math, pi, Counter, defaultdict)
