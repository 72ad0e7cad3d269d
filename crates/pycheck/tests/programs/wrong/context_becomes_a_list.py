# expect: PY502 4:1
# context: a
x = context['a']
context = [x]
