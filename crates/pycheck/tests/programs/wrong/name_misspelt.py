# expect: PY101 3:7
values = [1, 2]
print(vaules)
