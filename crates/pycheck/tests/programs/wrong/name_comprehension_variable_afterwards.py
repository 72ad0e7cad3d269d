# expect: PY101 3:7
squares = [i for i in range(3)]
print(i)
