# expect: PY201 4:12
# context: a
def f():
    return context["n"]
print(f())
