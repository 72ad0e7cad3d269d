# context: rows
context = {'n': len(context['rows'])}
