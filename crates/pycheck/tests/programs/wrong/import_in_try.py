# expect: PY301 3:5
try:
    import requests
except ImportError:
    requests = None
