# expect: PY002 3:10
match 1:
    case x:
        pass
    case 2:
        pass
