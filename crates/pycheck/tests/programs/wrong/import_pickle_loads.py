# expect: PY301 2:1
import pickle
def f(data):
    return pickle.loads(data)
