import csv
import io

sample = context["csv_text"][:2000]
rows = list(csv.reader(io.StringIO(sample)))
insights = {
    "type": "csv",
    "columns": rows[0] if rows else [],
    "sampled_rows": max(len(rows) - 1, 0),
    "has_empty_cells": any(cell == "" for row in rows for cell in row),
}
