from sys import maxsize, float_info
print(maxsize, float_info)
