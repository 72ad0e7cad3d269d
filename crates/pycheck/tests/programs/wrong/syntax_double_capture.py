# expect: PY002 3:14
match [1, 1]:
    case [a, a]:
        pass
