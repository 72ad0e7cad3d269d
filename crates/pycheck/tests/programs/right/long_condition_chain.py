x = 3
print("a" if x == 1 else "b" if x == 2 else "c" if x == 3 else "d")
