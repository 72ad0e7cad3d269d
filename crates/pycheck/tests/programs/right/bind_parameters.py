def f(a, /, b, *args, c=1, **rest):
    return a, b, args, c, rest
print(f(1, 2))
