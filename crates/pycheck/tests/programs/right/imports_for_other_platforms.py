if len("x") > 3:
    def f():
        import no_such_module
        return no_such_module
if len("y") > 3:
    raise ImportError("not here")
import no_such_module
