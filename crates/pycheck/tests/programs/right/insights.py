# result: insights
data = context["pdf"]
insights = {"type": "pdf", "pages": 3}
insights["size"] = len(data)
