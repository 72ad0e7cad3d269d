# context: rows
context['rows'].append(len(context['rows']))
