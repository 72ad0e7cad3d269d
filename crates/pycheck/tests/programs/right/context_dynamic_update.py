# context: a
more = {"z": 1}
context.update(more)
print(context["z"])
