# expect: PY002 7:9
# python: 3.11
while True:
    try:
        pass
    except* ValueError:
        break
