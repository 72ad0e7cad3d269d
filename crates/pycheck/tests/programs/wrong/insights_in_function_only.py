# expect: PY105 1:1
# result: insights
def analyse():
    insights = {"type": "pdf"}
    return insights
analyse()
