# expect: PY402 2:21
x = getattr(object, f"__subclasses__")
