found = [last := x for x in range(3)]
print(found, last)
