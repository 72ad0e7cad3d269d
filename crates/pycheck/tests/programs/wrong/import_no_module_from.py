# expect: PY302 2:1
from no_such_module import x
