# expect: PY401 3:1
# context: code
eval(context["code"])
