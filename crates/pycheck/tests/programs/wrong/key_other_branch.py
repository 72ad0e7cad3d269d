# expect: PY201 6:11
# context: a
if "b" in context:
    print(context["b"])
else:
    print(context["b"])
