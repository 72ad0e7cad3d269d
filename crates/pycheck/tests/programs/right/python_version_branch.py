import sys
if sys.version_info >= (3,):
    text = str
else:
    text = unicode
print(text)
