# expect: PY003 3:1
# python: 3.11
type X = int
