# expect: PY001 2:7
print "hello"
