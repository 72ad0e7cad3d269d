# expect: PY302 3:12
def f():
    import no_such_module as m
    return m
