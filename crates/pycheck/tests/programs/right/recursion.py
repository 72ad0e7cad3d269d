def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)
print(fact(3), fib(3))
