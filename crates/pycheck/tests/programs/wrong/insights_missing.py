# expect: PY105 1:1
# result: insights
result = {"type": "pdf"}
