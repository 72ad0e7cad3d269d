# context: a
def f(context):
    return context["b"]
for context in [{"c": 1}]:
    print(context["c"])
