with open('x.txt', 'w') as f:
    f.write('a')
with open('/usr/share/zoneinfo/UTC', 'rb') as g:
    g.read()
