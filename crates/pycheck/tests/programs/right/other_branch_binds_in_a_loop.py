def f(items):
    for item in items:
        if item:
            total = total + 1
        else:
            total = 0
