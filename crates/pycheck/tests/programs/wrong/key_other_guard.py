# expect: PY201 4:11
# context: a
if "b" in context:
    print(context["c"])
