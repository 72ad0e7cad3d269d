# expect: PY002 2:24
from __future__ import nothing
