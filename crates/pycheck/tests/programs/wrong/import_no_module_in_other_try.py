# expect: PY302 4:16
def f():
    try:
        import no_such_module
    except ValueError:
        pass
