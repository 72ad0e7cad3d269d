# context: a
name = "x"
print(context[name])
context[name] = 1
print(context["anything"])
