if (n := len("abc")) > 2:
    print(n)
