# expect: PY002 4:1
try:
    pass
except:
    pass
except ValueError:
    pass
