"""What a table holds: types, missing values, ranges. One pass, column by column in chunks, so that memory stays small."""

import math
import random
from collections import Counter
from itertools import chain, repeat

from tables import MISSING, day, number

# So many different values of a column are remembered; beyond that they are only called many.
MOST_VALUES = 1000
# Quartiles come from all values, or from a sample of so many to twice as many (by a fixed seed, so that a second run says
# the same).
SAMPLE = 50_000
# So much of a column must be of a type for the column to be of it.
ENOUGH = 0.95
# So many cells are looked at to see how numbers and dates are written.
LOOKED_AT = 5_000


class Column:
    """What is known of one column so far."""

    def __init__(self, name):
        self.name, self.values, self.many = name, Counter(), False
        self.filled = self.missing = self.numbers = self.dates = 0
        self.total = self.least = self.most = None
        self.decimal, self.order, self.whole = ".", "ymd", True
        self.sums, self.sample, self.chance = [], [], 1.0
        self.rng = random.Random(name)

    def look(self, cells):
        """Finds out how numbers and dates are written, from the first cells."""
        cells = [cell for cell in cells[:LOOKED_AT] if cell.strip().lower() not in MISSING]
        if not cells:
            return
        self.decimal = max(".,", key=lambda mark: sum(number(cell, mark) is not None for cell in cells))
        self.order = max(("ymd", "dmy", "mdy"), key=lambda order: sum(day(cell, order) is not None for cell in cells))

    def add(self, cells):
        counts = Counter(cells)
        absent = [cell for cell in counts if cell.strip().lower() in MISSING]
        self.missing += sum(counts.pop(cell) for cell in absent)
        self.filled += sum(counts.values())
        if not self.many:
            self.values.update(counts)
            if len(self.values) > MOST_VALUES:
                self.many, self.values = True, Counter()
        found = [(value, times) for value, times in ((self.read(cell), n) for cell, n in counts.items()) if value is not None]
        if found:
            self.numbers += sum(times for _, times in found)
            self.sums.append(math.fsum(value * times for value, times in found))
            low, high = min(found)[0], max(found)[0]
            self.least = low if self.least is None else min(self.least, low)
            self.most = high if self.most is None else max(self.most, high)
            self.whole = self.whole and all(value == int(value) for value, _ in found if math.isfinite(value))
            self.draw(found)
        elif counts:
            self.dates += sum(times for cell, times in counts.items() if day(cell, self.order))

    def read(self, cell):
        return number(cell, self.decimal)

    def draw(self, found):
        values = chain.from_iterable(repeat(value, times) for value, times in found)
        chance, draw = self.chance, self.rng.random
        self.sample += values if chance == 1.0 else [value for value in values if draw() < chance]
        while len(self.sample) > 2 * SAMPLE:
            self.sample = self.rng.sample(self.sample, len(self.sample) // 2)
            self.chance /= 2

    def kind(self):
        if not self.filled:
            return "empty"
        if self.numbers >= ENOUGH * self.filled:
            return "integer" if self.whole else "number"
        if self.dates >= ENOUGH * self.filled:
            return "date"
        values = {value.strip().lower() for value in self.values}
        if not self.many and values <= {"true", "false", "yes", "no", "si", "sí", "0", "1"}:
            return "boolean"
        return "text" if self.many or len(self.values) > self.filled / 2 and self.filled > 20 else "category"

    def facts(self):
        kind = self.kind()
        facts = {"name": self.name, "type": kind, "filled": self.filled, "missing": self.missing}
        if not self.many:
            facts["distinct"] = len(self.values)
        if kind in ("integer", "number"):
            facts.update(decimal=self.decimal, min=self.least, max=self.most, mean=math.fsum(self.sums) / self.numbers)
            facts["not_a_number"] = self.filled - self.numbers
            facts["quartiles"] = quartiles(self.sample)
            facts["quartiles_exact"] = self.chance == 1.0
        if kind == "date":
            facts["order"] = self.order
        if not self.many and kind in ("category", "boolean", "text", "integer"):
            facts["values"] = [value for value, _ in self.values.most_common(MOST_VALUES)]
        return facts


def quartiles(sample):
    ordered = sorted(sample)
    return [ordered[min(len(ordered) - 1, len(ordered) * part // 4)] for part in (1, 2, 3)]


def profile(table):
    columns = [Column(name) for name in table.columns]
    rows = 0
    for chunk in table.chunks():
        for column, cells in zip(columns, zip(*chunk)):
            if rows == 0:
                column.look(cells)
            column.add(cells)
        rows += len(chunk)
    return {"rows": rows, "columns": [column.facts() for column in columns], **table.facts}
