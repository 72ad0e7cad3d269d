# context: a
def total():
    if "b" not in context:
        return 0
    return context["b"]
if "c" not in context:
    raise ValueError("c is missing")
print(context["c"], total())
assert "d" in context
print(context["d"])
