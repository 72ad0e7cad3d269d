class A:
    x = 1
print(A.x)
