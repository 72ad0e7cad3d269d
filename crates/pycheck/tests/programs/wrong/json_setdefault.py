# expect: PY501 2:25
context.setdefault("a", set())
