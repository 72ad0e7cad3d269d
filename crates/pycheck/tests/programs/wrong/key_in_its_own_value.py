# expect: PY201 3:16
# context: a
context["n"] = context["n"] + 1
