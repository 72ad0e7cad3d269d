# expect: PY501 3:20
with open("y") as f:
    context["x"] = f
