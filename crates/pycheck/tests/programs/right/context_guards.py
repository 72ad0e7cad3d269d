# context: a
if "b" in context:
    print(context["b"])
if "c" not in context:
    context["c"] = 0
print(context["c"])
d = context["d"] if "d" in context else None
e = "e" in context and context["e"]
f = "f" not in context or context["f"]
g = [context["g"] for _ in range(1) if "g" in context]
while "h" in context:
    context.pop("h")
