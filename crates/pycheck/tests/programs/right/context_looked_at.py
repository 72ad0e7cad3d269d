# context: a
print(context, len(context), sorted(context), {**context}, f"{context}")
for key in context:
    if key == "b":
        print(context["b"])
