a = 1
b = c = a
print(a, b, c)
