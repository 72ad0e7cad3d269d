# context: a
x = context.pop('a')
context['a'] = x + 1
context['b'] = context['a']
if x:
    del context['a']
context['c'] = context['a']
try:
    del context['b']
except KeyError:
    pass
context['d'] = context.get('b', 0)
