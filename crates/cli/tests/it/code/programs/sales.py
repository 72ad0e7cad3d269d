import io

import pandas as pd

frame = pd.read_csv(io.StringIO(context["csv_text"]))
read = len(frame)
frame["date"] = pd.to_datetime(frame["date"], errors="coerce")
frame["amount"] = pd.to_numeric(frame["amount"], errors="coerce")
clean = frame.dropna(subset=["date", "region", "amount"]).drop_duplicates()

context["rows_read"] = read
context["rows_dropped"] = read - len(clean)
context["total_by_region"] = clean.groupby("region")["amount"].sum().round(2).to_dict()
context["mean_amount"] = round(clean["amount"].mean(), 4)
context["first_day"] = clean["date"].min()
