# expect: PY002 2:18
print(1, end="", end="")
