# expect: PY402 2:14
x = __spec__.loader
