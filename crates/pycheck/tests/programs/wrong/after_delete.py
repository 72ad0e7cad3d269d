# expect: PY102 4:7
x = 1
del x
print(x)
