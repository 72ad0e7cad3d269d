x = 1
del x
x = 2
print(x)
