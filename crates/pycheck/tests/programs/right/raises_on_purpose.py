# context: a
if context['a'] < 0:
    raise ValueError('no column price')
