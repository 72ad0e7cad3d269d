# context: num1, num2
context["sum"] = context["num1"] + context["num2"]
print(context["sum"])
