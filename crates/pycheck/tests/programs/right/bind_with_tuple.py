with open("x") as (a, b), open("y") as c:
    print(a, b, c)
