with open("data.txt") as f:
    context["lines"] = f.readlines()
