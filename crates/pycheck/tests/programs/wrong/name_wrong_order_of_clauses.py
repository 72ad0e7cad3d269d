# expect: PY101 3:19
rows = [[1]]
print([x for x in row for row in rows])
