# expect: PY402 2:21
x = getattr(object, "__subclasses__")
