# expect: PY301 5:1
# expect: PY301 6:1
# expect: PY301 7:1
# expect: PY301 8:1
import importlib
from builtins import eval as e
import ctypes
import multiprocessing.pool
