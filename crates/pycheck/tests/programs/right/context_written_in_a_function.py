# context: a
def use():
    return context["later"]
def fill():
    context["later"] = 1
fill()
print(use(), context["later"])
