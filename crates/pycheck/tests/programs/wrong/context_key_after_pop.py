# expect: PY201 5:16
# context: a
x = context.pop('a')
context.pop('c', None)
context['b'] = context['a'] + x
