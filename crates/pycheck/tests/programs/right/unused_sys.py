import sys
print(1)
