# expect: PY401 2:1
__import__("os")
