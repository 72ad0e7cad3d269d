# expect: PY101 3:10
match 1:
    case Shape.circle:
        pass
