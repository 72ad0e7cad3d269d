import random
if random.random() > 0.5:
    values = [1]
else:
    values = {1}
context["values"] = values
