def setup():
    global table
    table = {}
def use():
    return table
setup()
print(use(), table)
