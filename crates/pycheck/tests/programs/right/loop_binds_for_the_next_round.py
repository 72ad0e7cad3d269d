def f(items):
    for i, item in enumerate(items):
        if i > 0:
            print(previous)
        previous = item
    while True:
        if items:
            print(state)
        state = 1
