# expect: PY106 3:1
# context: num1
x = 1
