from math import sqrt as root
print(root(4))
