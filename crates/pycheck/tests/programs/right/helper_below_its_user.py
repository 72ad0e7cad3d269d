def main():
    return helper()
def helper():
    return LIMIT
LIMIT = 3
print(main())
