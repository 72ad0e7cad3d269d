def set(values):
    return list(values)
context["x"] = set([1])
