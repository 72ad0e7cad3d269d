# expect: PY301 2:1
from urllib.request import urlopen
