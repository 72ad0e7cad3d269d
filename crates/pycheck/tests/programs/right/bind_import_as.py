import math as m
print(m.pi)
