import sys
sys.setrecursionlimit(10_000)
best = -sys.maxsize
print(best, sys.version_info, file=sys.stderr)
