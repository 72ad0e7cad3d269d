import collections.abc
print(collections.abc.Mapping)
