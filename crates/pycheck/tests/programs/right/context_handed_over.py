# context: a
def fill(target):
    target["b"] = 1
fill(context)
print(context["b"])
