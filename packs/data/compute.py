"""Computes what was asked in one pass over the table: floating-point sums with compensation, group by group."""

import heapq

from request import describe, group_name, shown
from tables import MISSING, day, number

# More groups than this do not fit in memory, and nobody could read them.
MOST_GROUPS = 200_000
# Values further out than so many times the distance of the quartiles are outliers.
FENCE = 3.0
MOST_OUTLIERS = 5


class TooMany(Exception):
    """There are more groups than can be told."""


class Sum:
    """A sum that keeps what a floating-point number would lose (Neumaier), with the extremes."""

    __slots__ = ("rows", "n", "total", "lost", "least", "most")

    def __init__(self):
        self.rows = self.n = 0
        self.total = self.lost = 0.0
        self.least = self.most = None

    def add(self, value):
        self.rows += 1
        if value is None:
            return
        self.n += 1
        total = self.total + value
        self.lost += (self.total - total) + value if abs(self.total) >= abs(value) else (value - total) + self.total
        self.total = total
        if self.least is None or value < self.least:
            self.least = value
        if self.most is None or value > self.most:
            self.most = value

    def value(self, op):
        if op == "count":
            return self.rows
        if self.n == 0:
            return None
        total = self.total + self.lost
        return {"sum": total, "mean": total / self.n, "min": self.least, "max": self.most}[op]


class Reading:
    """How the cells of one column are read; what was read before is remembered."""

    def __init__(self, place, facts):
        self.place, self.facts, self.known = place, facts, {}

    def number(self, row):
        cell = row[self.place]
        try:
            if self.facts.get("decimal", ".") == ".":
                value = float(cell)
                return value if cell.strip().lower() not in MISSING and value - value == 0 and "_" not in cell else None
        except ValueError:
            pass
        return None if cell.strip().lower() in MISSING else number(cell, self.facts.get("decimal", "."))

    def text(self, row):
        return row[self.place].strip()

    def period(self, row, period):
        cell = row[self.place]
        key = (cell, period)
        if key not in self.known:
            if len(self.known) > 100_000:
                self.known.clear()
            self.known[key] = period_of(day(cell, self.facts.get("order", "ymd")), period)
        return self.known[key]


def period_of(found, period):
    if not found:
        return ""
    year, month, dom = found
    return {"year": f"{year}", "quarter": f"{year}-Q{(month + 2) // 3}", "month": f"{year}-{month:02}", "day": f"{year}-{month:02}-{dom:02}"}[period]


class Pass:
    """One question on its way through the rows."""

    def __init__(self, question, readings):
        self.question, self.groups = question, {}
        self.keys = [key_of(group, readings) for group in question["groups"]]
        self.tests = [test_of(entry, readings) for entry in question["filters"]]
        self.values = [value_of(measure, readings) for measure in question["measures"]]
        self.kept = 0

    def add(self, row):
        for test in self.tests:
            if not test(row):
                return
        self.kept += 1
        key = tuple([read(row) for read in self.keys])
        sums = self.groups.get(key)
        if sums is None:
            if len(self.groups) >= MOST_GROUPS:
                raise TooMany(f"there are more than {MOST_GROUPS:,} groups in “{describe(self.question)}”; choose a column with fewer values")
            sums = self.groups[key] = [Sum() for _ in self.values]
        for total, read in zip(sums, self.values):
            total.add(read(row))

    def result(self):
        question = self.question
        rows = [{"keys": list(key), "rows": sums[0].rows, "values": [total.value(measure["op"]) for total, measure in zip(sums, question["measures"])]} for key, sums in self.groups.items()]
        if any("period" in group for group in question["groups"]):
            rows.sort(key=lambda row: row["keys"])
        elif len(question["groups"]) == 1 and all(row["keys"][0].isdigit() for row in rows):
            # Years, months, sizes: their own order tells more than that of the values.
            rows.sort(key=lambda row: int(row["keys"][0]))
        else:
            rows.sort(key=lambda row: (row["values"][0] is None, -(row["values"][0] or 0), row["keys"]))
        groups = len(rows)
        if question["limit"]:
            rows = sorted(rows, key=lambda row: (row["values"][0] is None, -(row["values"][0] or 0)))[: question["limit"]]
        if question["share"] and question["groups"]:
            whole = sum(total[0].value(question["measures"][0]["op"]) or 0 for total in self.groups.values())
            for row in rows:
                row["share"] = (row["values"][0] or 0) / whole if whole else None
        return {"question": question, "title": describe(question), "group_names": [group_name(group) for group in question["groups"]],
                "measure_names": [measure_name(measure) for measure in question["measures"]], "rows_used": self.kept, "groups": groups, "rows": rows}


def measure_name(measure):
    return "rows" if measure["op"] == "count" else f"{measure['op']} of {shown(measure)}"


def key_of(group, readings):
    reading = readings[group["column"]]
    if "period" in group:
        return lambda row: reading.period(row, group["period"])
    return reading.text


def value_of(measure, readings):
    if measure["op"] == "count":
        return lambda row: 1.0
    first = readings[measure["column"]].number
    if "times" not in measure:
        return first
    second = readings[measure["times"]].number

    def product(row):
        one, other = first(row), second(row)
        return None if one is None or other is None else one * other

    return product


def test_of(entry, readings):
    reading, wanted = readings[entry["column"]], entry.get("any", [entry["value"]])
    if "period" in entry:
        def is_in(row):
            return reading.period(row, entry["period"]) in wanted
    elif isinstance(entry["value"], float):
        if entry["is"] not in ("=", "!="):
            bound = entry["value"]
            compare = {">": lambda it: it > bound, "<": lambda it: it < bound, ">=": lambda it: it >= bound, "<=": lambda it: it <= bound}[entry["is"]]

            def within(row):
                value = reading.number(row)
                return value is not None and compare(value)

            return within

        def is_in(row):
            return reading.number(row) in wanted
    else:
        folded = {value.strip() for value in wanted}

        def is_in(row):
            return reading.text(row) in folded
    return (lambda row: not is_in(row)) if entry["is"] == "!=" else is_in


class Outliers:
    """Values far outside the quartiles of a column."""

    def __init__(self, reading):
        low, _, high = reading.facts["quartiles"]
        reach = FENCE * (high - low)
        self.reading, self.below, self.above = reading, low - reach, high + reach
        self.usable, self.count, self.furthest = high > low, 0, []

    def add(self, number_of_row, row):
        value = self.reading.number(row)
        if value is None or self.below <= value <= self.above:
            return
        self.count += 1
        entry = (max(self.below - value, value - self.above), -number_of_row, value)
        if len(self.furthest) < MOST_OUTLIERS:
            heapq.heappush(self.furthest, entry)
        else:
            heapq.heappushpop(self.furthest, entry)

    def result(self):
        rows = [{"row": -row, "value": value} for _, row, value in sorted(self.furthest, reverse=True)]
        return {"column": self.reading.facts["name"], "below": self.below, "above": self.above, "count": self.count, "furthest": rows}


def compute(table, facts, questions):
    by_name = {column["name"]: column for column in facts["columns"]}
    readings = {name: Reading(place, by_name[name]) for place, name in enumerate(table.columns)}
    passes = [Pass(question, readings) for question in questions]
    asked = {measure.get("column") for question in questions for measure in question["measures"]}
    watched = [Outliers(readings[name]) for name in by_name if name in asked and by_name[name].get("quartiles")]
    watched = [outliers for outliers in watched if outliers.usable]
    n = 0
    for chunk in table.chunks():
        for row in chunk:
            n += 1
            for question in passes:
                question.add(row)
            for outliers in watched:
                outliers.add(n, row)
    return [question.result() for question in passes], [outliers.result() for outliers in watched]
