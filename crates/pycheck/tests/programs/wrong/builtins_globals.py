# expect: PY402 2:11
globals()["__builtins__"]
