# expect: PY403 5:5
# expect: PY403 6:1
# context: a
if context['a']:
    exit()
quit(1)
context['b'] = 1
