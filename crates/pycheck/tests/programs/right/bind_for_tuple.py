for i, (a, *b) in [(1, (2, 3, 4))]:
    print(i, a, b)
