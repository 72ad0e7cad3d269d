# expect: PY101 3:7
x: int
print(x)
