# expect: PY101 3:13
try:
    total = amuont + 1
except Exception as error:
    total = str(error)
