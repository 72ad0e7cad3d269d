squares = [i * i for i in range(3)]
pairs = {k: v for k, v in zip("ab", squares)}
unique = {x for x in squares if x}
total = sum(y for y in squares)
print(pairs, unique, total)
