def a():
    x = 1
    def b():
        def c():
            return x + y
        y = 2
        return c
    return b
print(a())
