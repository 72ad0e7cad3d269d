# expect: PY301 2:1
import sys
box = [sys]
