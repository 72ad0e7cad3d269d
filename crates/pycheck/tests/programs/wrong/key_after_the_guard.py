# expect: PY201 5:7
# context: a
if "b" in context:
    print(context["b"])
print(context["b"])
