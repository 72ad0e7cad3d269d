globals()["made"] = 1
print(made)
