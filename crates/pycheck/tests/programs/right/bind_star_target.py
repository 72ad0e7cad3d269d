first, *middle, last = range(5)
[a, (b, c)] = 1, (2, 3)
print(first, middle, last, a, b, c)
