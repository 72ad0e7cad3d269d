if "extra" in globals():
    print(extra)
if "more" in dir():
    print(more)
