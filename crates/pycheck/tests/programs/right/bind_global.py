counter = 0
def step():
    global counter
    counter += 1
step()
