# expect: PY501 3:22
# result: insights
insights = {"fonts": {"a", "b"}}
