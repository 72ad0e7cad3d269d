# expect: PY201 3:5
# context: a
del context["n"]
