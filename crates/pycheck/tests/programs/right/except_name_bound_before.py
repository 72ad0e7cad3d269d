error = None
try:
    print(1)
except ValueError as error:
    print(error)
print(error)
