# context: a
context.update({"b": 1}, c=2)
context.setdefault("d", []).append(1)
context |= {"e": 5}
print(context["b"], context["c"], context["d"], context["e"])
