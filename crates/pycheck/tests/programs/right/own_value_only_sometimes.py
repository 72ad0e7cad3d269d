def f(items):
    for i, item in enumerate(items):
        best = item if i == 0 else max(best, item)
    return best
