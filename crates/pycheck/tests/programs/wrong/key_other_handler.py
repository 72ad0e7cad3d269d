# expect: PY201 4:11
# context: a
try:
    print(context["b"])
except ValueError:
    pass
