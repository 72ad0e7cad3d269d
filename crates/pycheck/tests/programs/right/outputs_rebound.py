values = {1, 2}
values = list(values)
context["values"] = values
