with open("x") as handle:
    text = handle.read()
print(text)
