# expect: PY301 2:1
from pickle import loads
