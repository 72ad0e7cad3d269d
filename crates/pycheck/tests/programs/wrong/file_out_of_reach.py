# expect: PY404 2:6
with open('/etc/passwd') as f:
    x = f.read()
y = open('/tmp/x', 'w')
z = open('own.txt', 'w')
