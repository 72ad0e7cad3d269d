width = 10
name = "x"
print(f"{name!r:>{width}} {name=} {'a' + 'b'}")
