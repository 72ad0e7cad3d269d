# expect: PY301 2:1
import inspect
inspect.currentframe()
