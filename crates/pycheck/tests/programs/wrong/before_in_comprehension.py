# expect: PY102 2:15
values = [v * factor for v in [1]]
factor = 2
