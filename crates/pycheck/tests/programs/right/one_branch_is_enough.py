import random
if random.random() > 0.5:
    x = 1
print(x)
