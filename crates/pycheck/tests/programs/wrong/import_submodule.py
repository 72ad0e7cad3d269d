# expect: PY301 2:1
import os.path
