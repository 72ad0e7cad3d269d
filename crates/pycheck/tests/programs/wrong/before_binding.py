# expect: PY102 2:7
print(late)
late = 1
