# expect: PY101 3:21
# context: a
context["result"] = undefined_variable * 2
