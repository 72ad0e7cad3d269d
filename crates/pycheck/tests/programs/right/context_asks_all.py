# context: a
if all(key in context for key in ("x", "y")):
    print(context["x"] + context["y"])
missing = [key for key in ("p", "q") if key not in context]
if not missing:
    print(context["p"])
