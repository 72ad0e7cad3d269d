values = (x * factor for x in [1, 2])
factor = 2
print(list(values))
