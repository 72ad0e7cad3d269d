class A:
    def __init__(self):
        self.__dict__["x"] = 1
print(A.__mro__, A.__bases__, A.__name__, type(A()).__qualname__, getattr(A(), "x"))
