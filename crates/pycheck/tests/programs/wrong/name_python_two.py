# expect: PY101 2:10
for i in xrange(3):
    print(i)
