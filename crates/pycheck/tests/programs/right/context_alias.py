# context: a
ctx = context
ctx["b"] = 1
print(context["b"])
