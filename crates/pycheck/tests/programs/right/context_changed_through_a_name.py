# context: rows, n
for row in context['rows']:
    row['total'] = row['a'] + context['n']
