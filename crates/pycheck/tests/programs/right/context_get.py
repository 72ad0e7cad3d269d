# context: a
b = context.get("b", 0)
c = context.get("c") or []
if context.get("d") is None:
    print(1)
if context.get("e"):
    print(context["e"])
f = context.get("f")
if f is not None:
    print(f)
if (g := context.get("g")):
    print(g)
h = bool(context.get("h")), isinstance(context.get("i"), str), not context.get("j")
