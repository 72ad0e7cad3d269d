add = lambda a, *b, c=1, **d: (a, b, c, d)
print(add(1))
