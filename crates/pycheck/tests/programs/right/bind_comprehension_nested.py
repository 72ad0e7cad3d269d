rows = [[1, 2], [3]]
flat = [cell for row in rows for cell in row if cell]
print(flat)
