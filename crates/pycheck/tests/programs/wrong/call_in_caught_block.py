# expect: PY401 3:5
try:
    eval("1")
except Exception:
    pass
