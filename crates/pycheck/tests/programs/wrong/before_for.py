# expect: PY102 2:10
for x in x:
    print(x)
