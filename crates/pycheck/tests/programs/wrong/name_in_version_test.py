# expect: PY101 2:4
if sys.version_info > (3,):
    print(1)
