from dataclasses import dataclass
from datetime import date
@dataclass
class Row:
    date: date
    other: "date | None" = None
print(Row)
