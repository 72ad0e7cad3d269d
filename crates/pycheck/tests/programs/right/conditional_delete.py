x = 1
if len("a"):
    del x
print(x)
