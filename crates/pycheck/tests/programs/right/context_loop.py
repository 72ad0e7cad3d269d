# context: items
for i, item in enumerate(context["items"]):
    if i > 0:
        print(context["last"])
    context["last"] = item
