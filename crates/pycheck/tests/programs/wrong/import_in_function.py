# expect: PY301 3:5
def f():
    import shutil
