# expect: PY301 2:1
from sys import modules
