# expect: PY102 6:7
try:
    print(1)
except ValueError as error:
    print(error)
print(error)
