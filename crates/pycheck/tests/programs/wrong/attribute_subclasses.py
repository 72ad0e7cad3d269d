# expect: PY402 2:27
x = ().__class__.__base__.__subclasses__()
