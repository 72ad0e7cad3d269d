# expect: PY403 3:16
# context: a
context['b'] = input('?')
