from math import *
print(sqrt(pi))
