def f():
    try:
        handle = open("x")
    finally:
        handle.close()
