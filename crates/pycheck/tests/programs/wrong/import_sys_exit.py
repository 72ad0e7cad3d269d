# expect: PY301 2:1
import sys
sys.exit(0)
