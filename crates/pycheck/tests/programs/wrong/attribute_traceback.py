# expect: PY402 6:27
# expect: PY402 6:36
try:
    print(1)
except ValueError as e:
    print(e.__traceback__.tb_frame.f_back)
