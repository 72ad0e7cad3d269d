# expect: PY003 3:1
# python: 3.9
match 1:
    case 1:
        pass
