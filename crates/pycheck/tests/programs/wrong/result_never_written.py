# expect: PY106 3:1
# context: num1, num2
total = context['num1'] + context['num2']
print(f"{context['num1']}", total, context.get('num2'))
