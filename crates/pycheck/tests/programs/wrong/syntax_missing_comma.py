# expect: PY001 4:5
x = [
    1
    2
]
