# context: a
has_total = "total" in context
if has_total:
    print(context["total"])
