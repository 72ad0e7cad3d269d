# expect: PY101 2:17
print(f"total: {total:.2f}")
