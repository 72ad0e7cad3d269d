import pickle
size = len(pickle.dumps([1]))
print(size)
