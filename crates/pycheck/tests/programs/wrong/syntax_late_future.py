# expect: PY002 3:1
import math
from __future__ import annotations
