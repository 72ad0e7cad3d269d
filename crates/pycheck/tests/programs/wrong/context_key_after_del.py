# expect: PY201 4:16
# context: a
del context['a']
context['b'] = context['a']
