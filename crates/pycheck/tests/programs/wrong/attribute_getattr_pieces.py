# expect: PY402 2:21
x = getattr(object, "__sub" + "classes__")
