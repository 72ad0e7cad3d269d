# context: a
context = {"b": context["a"]}
print(context["b"])
