try:
    import no_such_module
    from math import no_such_name
except ImportError:
    no_such_module = no_such_name = None
if len("x") > 3:
    import no_such_module
def f(flag):
    if flag:
        import no_such_module
        return no_such_module
print(no_such_module, no_such_name, f)
