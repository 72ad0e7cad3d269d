# expect: PY402 2:7
print.__self__.eval('1')
