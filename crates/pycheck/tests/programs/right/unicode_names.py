größe = 3
名 = größe
print(名)
