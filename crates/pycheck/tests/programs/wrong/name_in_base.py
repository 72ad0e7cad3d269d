# expect: PY101 2:9
class A(Base):
    pass
