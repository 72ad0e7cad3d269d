a: int = 1
print(a)
