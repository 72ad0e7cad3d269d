"""The second computation: every figure of the report again, by another way, with nothing of the first one's code.

SQLite adds up what this program loads into it, chunk by chunk; numbers are read as decimal fractions and dates by
splitting texts, not by the patterns of the first computation. A figure that differs is listed, in the answer and in the report.
"""

import csv
import json
import math
import os
import re
import sqlite3
import sys
from datetime import date
from decimal import Decimal, InvalidOperation
from xml.etree import ElementTree
from zipfile import ZipFile

csv.field_size_limit(16 * 1024 * 1024)
CHUNK = 50_000
# Two sums of the same numbers in different order may differ by so much of themselves.
CLOSE = 1e-9
MOST_LISTED = 20
NO_VALUE = ("", "na", "n/a", "null", "none", "nan", "-")


# ---- reading -------------------------------------------------------------------------------------------------------


def source(path, facts):
    """The rows of the file as tuples of texts."""
    kind = path.rsplit(".", 1)[-1].lower()
    if kind == "jsonl":
        names = [column["name"] for column in facts["columns"]]
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            for line in file:
                if line.strip():
                    entry = json.loads(line)
                    yield tuple(as_text(entry.get(name)) for name in names)
    elif kind == "xlsx":
        yield from sheet(path, len(facts["columns"]))
    else:
        mark = {"tab": "\t"}.get(facts["delimiter"], facts["delimiter"])
        encoding = "utf-8-sig" if facts["encoding"] == "utf-8" else facts["encoding"]
        wide = len(facts["columns"])
        with open(path, encoding=encoding, errors="replace", newline="") as file:
            for n, row in enumerate(csv.reader(file, delimiter=mark)):
                if row and not (n == 0 and facts["header"]):
                    yield tuple(row[:wide]) + ("",) * (wide - len(row))


def as_text(value):
    if value is None:
        return ""
    if value is True or value is False:
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def sheet(path, wide):
    """The rows below the header of the first sheet, by a way of its own through the workbook."""
    with ZipFile(path) as book:
        plain = lambda name: re.sub(rb'\sxmlns(:\w+)?="[^"]*"', b"", book.read(name))
        texts, dated = [], set()
        if "xl/sharedStrings.xml" in book.namelist():
            for entry in ElementTree.fromstring(plain("xl/sharedStrings.xml")):
                texts.append("".join(node.text or "" for node in entry.iter("t")))
        if "xl/styles.xml" in book.namelist():
            styles = ElementTree.fromstring(plain("xl/styles.xml"))
            own = {f.get("numFmtId") for f in styles.iter("numFmt") if set("dy") & set(re.sub(r'"[^"]*"|\[[^\]]*\]', "", f.get("formatCode", "")).lower())}
            usual = {str(n) for n in [*range(14, 23), 27, 30, 36, 45, 46, 47, 50, 57]}
            for n, style in enumerate(styles.findall("cellXfs/xf")):
                if style.get("numFmtId") in own | usual:
                    dated.add(str(n))
        workbook = book.read("xl/workbook.xml").decode("utf-8", "replace")
        first = re.search(r'<(?:\w+:)?sheet [^>]*r:id="([^"]+)"', workbook).group(1)
        links = book.read("xl/_rels/workbook.xml.rels").decode("utf-8", "replace")
        link = next(tag for tag in re.findall(r"<Relationship [^>]*>", links) if f'Id="{first}"' in tag)
        target = re.search(r'Target="/?(?:xl/)?([^"]+)"', link).group(1)
        found = ElementTree.fromstring(plain(f"xl/{target}")).iter("row")
        begun = False
        for row in found:
            cells = [""] * wide
            for n, node in enumerate(row.findall("c")):
                letters = "".join(letter for letter in node.get("r", "") if letter.isalpha())
                place = sum((ord(letter) - 64) * 26**power for power, letter in enumerate(reversed(letters))) - 1 if letters else n
                value = node.findtext("v") or ""
                if node.get("t") == "s":
                    value = texts[int(value)]
                elif node.get("t") == "inlineStr":
                    value = "".join(part.text or "" for part in node.iter("t"))
                elif node.get("t") == "b":
                    value = "true" if value == "1" else "false"
                elif node.get("s") in dated and value and node.get("t") in (None, "n"):
                    value = str(date.fromordinal(date(1899, 12, 30).toordinal() + int(float(value))))
                if place < wide:
                    cells[place] = value
            if any(cells):
                if begun:
                    yield tuple(cells)
                begun = True


# ---- what SQL is told of a column ------------------------------------------------------------------------------------


def text_sql(place):
    return f"trim(c{place})"


def filled_sql(place):
    listed = ", ".join(f"'{word}'" for word in NO_VALUE)
    return f"lower(trim(c{place})) NOT IN ({listed})"


def number_sql(place, column):
    return f"v{place}"


MARKS = str.maketrans("", "", "$€£¥% \u00a0")


def exact(text, decimal):
    """The number of a cell as a decimal fraction, or nothing. `(5)` is -5; currencies and thousands are left out."""
    try:
        if decimal == ".":
            value = Decimal(text)
            return float(value) if value.is_finite() and "_" not in text else None
    except InvalidOperation:
        pass
    text = text.translate(MARKS)
    if text[:1] == "(" and text[-1:] == ")":
        text = "-" + text[1:-1]
    text = text.replace(".", "").replace(",", ".") if decimal == "," else text.replace(",", "")
    try:
        value = Decimal(text) if text else None
        return float(value) if value is not None and value.is_finite() and "_" not in text else None
    except InvalidOperation:
        return None


def period(text, order, period_name):
    """The period of a date: by cutting the text at what is no digit."""
    numbers, digits = [], ""
    for letter in text.strip() + " ":
        if letter.isdigit():
            digits += letter
        elif digits:
            numbers.append(digits)
            digits = ""
            if letter in "T :" and len(numbers) >= 3:
                break
    if len(numbers) == 2 and order == "ymd":
        numbers.append("1")
    if len(numbers) < 3:
        return ""
    year, month, day = (int(numbers[order.index(letter)]) for letter in "ymd")
    if year < 100:
        year += 2000 if year < 70 else 1900
    return {"year": "%d" % year, "quarter": "%d-Q%d" % (year, math.ceil(month / 3)), "month": "%d-%02d" % (year, month),
            "day": "%d-%02d-%02d" % (year, month, day)}[period_name]


def key_sql(group, places, by_name):
    place = places[group["column"]]
    if "period" in group:
        return f"period(c{place}, '{by_name[group['column']].get('order', 'ymd')}', '{group['period']}')"
    return text_sql(place)


def value_sql(measure, places, by_name):
    if measure["op"] == "count":
        return "1.0"
    first = number_sql(places[measure["column"]], by_name[measure["column"]])
    if "times" not in measure:
        return first
    return f"({first}) * ({number_sql(places[measure['times']], by_name[measure['times']])})"


def where_sql(filters, places, by_name):
    parts, values = [], []
    for entry in filters:
        wanted = entry.get("any", [entry["value"]])
        if "period" in entry:
            left = key_sql(entry, places, by_name)
        elif isinstance(entry["value"], float):
            left = f"({number_sql(places[entry['column']], by_name[entry['column']])})"
        else:
            left = text_sql(places[entry["column"]])
            wanted = [value.strip() for value in wanted]
        if entry["is"] in ("=", "!="):
            parts.append(f"{left} IN ({', '.join('?' * len(wanted))})" if entry["is"] == "=" else f"coalesce({left} NOT IN ({', '.join('?' * len(wanted))}), 1)")
            values += wanted
        else:
            parts.append(f"{left} {entry['is']} ?")
            values.append(entry["value"])
    return (" WHERE " + " AND ".join(parts) if parts else ""), values


# ---- the second computation -------------------------------------------------------------------------------------------


class Totals:
    """Sums of chunks, group by group."""

    def __init__(self, width):
        self.groups, self.width = {}, width

    def add(self, key, rows, parts):
        known = self.groups.setdefault(key, [0, [[0, [], None, None] for _ in range(self.width)]])
        known[0] += rows
        for kept, (n, total, low, high) in zip(known[1], parts):
            kept[0] += n
            if n:
                kept[1].append(total)
                kept[2] = low if kept[2] is None else min(kept[2], low)
                kept[3] = high if kept[3] is None else max(kept[3], high)
                if len(kept[1]) > 1000:
                    kept[1] = [math.fsum(kept[1])]

    def value(self, key, place, op):
        rows, parts = self.groups[key]
        n, totals, low, high = parts[place]
        if op == "count":
            return rows
        if not n:
            return None
        return {"sum": math.fsum(totals), "mean": math.fsum(totals) / n, "min": low, "max": high}[op]


def grouped(keys, values, where):
    parts = ", ".join(f"count({value}), total({value}), min({value}), max({value})" for value in values)
    by = ", ".join(str(n) for n in range(1, len(keys) + 1))
    return f"SELECT {''.join(key + ', ' for key in keys)}count(*), {parts} FROM t{where}" + (f" GROUP BY {by}" if keys else " HAVING count(*) > 0")


def recompute(work):
    facts = work["profile"]
    columns = facts["columns"]
    places = {column["name"]: place for place, column in enumerate(columns)}
    by_name = {column["name"]: column for column in columns}
    base = sqlite3.connect(":memory:")
    base.create_function("period", 3, period, deterministic=True)
    numeric = [n for n, column in enumerate(columns) if column["type"] in ("integer", "number")]
    marks = [columns[n].get("decimal", ".") for n in numeric]
    names = [f"c{n} TEXT" for n in range(len(columns))] + [f"v{n} REAL" for n in numeric]
    base.execute(f"CREATE TABLE t (n INTEGER, {', '.join(names)})")
    questions = []
    for result in work["results"]:
        question = result["question"]
        keys = [key_sql(group, places, by_name) for group in question["groups"]]
        values = [value_sql(measure, places, by_name) for measure in question["measures"]]
        where, wanted = where_sql(question["filters"], places, by_name)
        questions.append((grouped(keys, values, where), wanted, len(keys), Totals(len(values))))
    shape = []
    for n, column in enumerate(columns):
        value = number_sql(n, column) if n in numeric else "NULL"
        shape.append(f"sum(NOT {filled_sql(n)}), count({value}), total({value}), min({value}), max({value})")
    seen = [[0, 0, [], None, None] for _ in columns]
    distinct = [set() if "distinct" in column else None for column in columns]
    outliers = [[entry, 0, []] for entry in work["outliers"]]
    rows = 0
    for chunk in chunks(source(work["file"], facts)):
        base.execute("DELETE FROM t")
        loaded = ((rows + n, *row, *[exact(row[place], mark) for place, mark in zip(numeric, marks)]) for n, row in enumerate(chunk, 1))
        base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (1 + len(names)))})", loaded)
        rows += len(chunk)
        told = base.execute("SELECT " + ", ".join(shape) + " FROM t").fetchone()
        for n, known in enumerate(seen):
            missing, count, total, low, high = told[n * 5 : n * 5 + 5]
            known[0] += missing
            known[1] += count
            if count:
                known[2].append(total)
                known[3] = low if known[3] is None else min(known[3], low)
                known[4] = high if known[4] is None else max(known[4], high)
        for n, values in enumerate(distinct):
            if values is not None:
                values.update(value for (value,) in base.execute(f"SELECT DISTINCT c{n} FROM t WHERE {filled_sql(n)}"))
        for sql, wanted, width, totals in questions:
            for row in base.execute(sql, wanted):
                parts = [row[at : at + 4] for at in range(width + 1, len(row), 4)]
                totals.add(tuple(row[:width]), row[width], parts)
        for entry in outliers:
            name, limits = entry[0]["column"], (entry[0]["below"], entry[0]["above"])
            value = number_sql(places[name], by_name[name])
            entry[1] += base.execute(f"SELECT count(*) FROM t WHERE ({value}) < ? OR ({value}) > ?", limits).fetchone()[0]
            wanted = [row["row"] for row in entry[0]["furthest"]]
            listed = ", ".join("?" * len(wanted))
            entry[2] += base.execute(f"SELECT n, {value} FROM t WHERE n IN ({listed})", wanted).fetchall()
    return rows, seen, distinct, questions, outliers


def chunks(rows):
    chunk = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


# ---- comparing --------------------------------------------------------------------------------------------------------


class Comparison:
    def __init__(self):
        self.checked, self.wrong = 0, []

    def figure(self, name, told, again, within=0.0):
        self.checked += 1
        if told is None or again is None:
            same = told is None and again is None
        else:
            same = abs(told - again) <= within + CLOSE * max(abs(told), abs(again), 1e-12)
        if not same:
            self.wrong.append({"figure": name, "reported": told, "recomputed": again})


def compare(work, again):
    found, facts = Comparison(), work["profile"]
    rows, seen, distinct, questions, outliers = again
    found.figure("rows", facts["rows"], rows)
    for column, (missing, count, totals, low, high), values in zip(facts["columns"], seen, distinct):
        name = column["name"]
        found.figure(f"{name}: missing", column["missing"], missing)
        if values is not None:
            found.figure(f"{name}: distinct", column["distinct"], len(values))
        if "mean" in column:
            found.figure(f"{name}: mean", column["mean"], math.fsum(totals) / count if count else None)
            found.figure(f"{name}: least", column["min"], low)
            found.figure(f"{name}: most", column["max"], high)
    for result, (_, _, _, totals) in zip(work["results"], questions):
        compare_result(found, result, totals)
    for entry, count, furthest in outliers:
        found.figure(f"outliers of {entry['column']}", entry["count"], count)
        values = dict(furthest)
        for row in entry["furthest"]:
            found.figure(f"{entry['column']} in row {row['row']}", row["value"], values.get(row["row"]))
    return found


def compare_result(found, result, totals):
    ops = [measure["op"] for measure in result["question"]["measures"]]
    found.figure(f"{result['title']}: groups", result["groups"], len(totals.groups))
    found.figure(f"{result['title']}: rows used", result["rows_used"], sum(rows for rows, _ in totals.groups.values()))
    best = sorted((totals.value(key, 0, ops[0]) or 0 for key in totals.groups), reverse=True)
    whole = math.fsum(best)
    for n, row in enumerate(result["rows"]):
        key = tuple(row["keys"])
        name = f"{result['title']}: {' · '.join(key) or 'all'}"
        for place, (op, told) in enumerate(zip(ops, row["values"])):
            found.figure(name, told, totals.value(key, place, op) if key in totals.groups else None)
        if row.get("share") is not None:
            found.figure(f"{name}: share", row["share"], best and (totals.value(key, 0, ops[0]) or 0) / whole)
        if result["question"]["limit"] and n < len(best):
            found.figure(f"{name}: place {n + 1}", row["values"][0], best[n])


def read_report(found, text, questions, results):
    """The figures as the report shows them, against the second computation."""
    for n, (result, (_, _, width, totals)) in enumerate(zip(results, questions), 1):
        part = text.split(f"<!-- figures {n} -->", 1)
        if len(part) < 2:
            found.figure(f"table {n} of the report", 1, 0)
            continue
        lines = part[1].strip("\n").split("\n")
        ops = [measure["op"] for measure in result["question"]["measures"]]
        for row in [line for line in lines[2 : lines.index("")] if line.startswith("|")]:
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
            key = next((key for key in totals.groups if same_key(key, cells[:width])), None)
            name = f"report: {' · '.join(cells[:width]) or result['title']}"
            for place, (op, told) in enumerate(zip(ops, cells[width:])):
                again = totals.value(key, place, op) if key is not None else None
                shown, digits = read_figure(told)
                found.figure(name, shown, again, within=digits)


def read_columns(found, text, facts, again):
    """The table of columns as the report shows it, against the second computation."""
    _, seen, distinct, _, _ = again
    lines = text.partition("<!-- columns -->")[2].strip("\n").split("\n")[2:]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line.startswith("|")]
    found.figure("columns in the report", len(rows), min(len(facts["columns"]), 60))
    for row, column, (missing, count, totals, low, high), values in zip(rows, facts["columns"], seen, distinct):
        again = [missing, None if values is None else len(values), low, math.fsum(totals) / count if count else None, high]
        for shown, value in zip([cell.strip() for cell in row[2:]], again):
            if value is not None:
                told, digits = read_figure(shown)
                found.figure(f"report, column {column['name']}", told, value, within=digits)


def same_key(key, cells):
    return [" ".join(part.replace("\n", " ").split()) for part in key] == [" ".join(("" if cell in ("(empty)", "(vacío)") else cell).split()) for cell in cells]


def read_figure(text):
    """A figure as it is shown, and by how much rounding may have moved it."""
    plain = text.replace(",", "")
    if plain == "–":
        return None, 0.0
    mantissa, _, power = plain.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(plain), 0.5 * 10.0 ** (int(power or 0) - decimals) * 1.001 if "." in mantissa or power else 0.0


WORDS = {
    False: ("Verification", "{} figures were computed a second time by another program (SQL on the same file).",
            "All of them agree.", "**{} of them differ:**"),
    True: ("Verificación", "{} cifras se calcularon otra vez con otro programa (SQL sobre el mismo archivo).",
           "Todas coinciden.", "**{} de ellas difieren:**"),
}


def main():
    json.load(sys.stdin)
    folder = os.environ["CANDOR_OUTPUT"]
    with open(os.path.join(folder, "figures.json"), encoding="utf-8") as file:
        work = json.load(file)
    again = recompute(work)
    found = compare(work, again)
    place = os.path.join(folder, "report.md")
    with open(place, encoding="utf-8") as file:
        report = file.read()
    read_report(found, report, again[3], work["results"])
    read_columns(found, report, work["profile"], again)
    title, how, good, bad = WORDS[bool(work["spanish"])]
    lines = [f"## {title}", "", how.format(f"{found.checked:,}") + " " + (bad.format(len(found.wrong)) if found.wrong else good), ""]
    lines += [f"- {entry['figure']}: {entry['reported']} / {entry['recomputed']}" for entry in found.wrong[:MOST_LISTED]]
    # A second attempt does not say it twice.
    with open(place, "w", encoding="utf-8") as file:
        file.write(report.split(f"## {title}\n")[0] + "\n".join(lines) + "\n")
    told = {"figures_checked": found.checked, "figures_differing": len(found.wrong)}
    if found.wrong:
        told["differences"] = [f"{it['figure']}: reported {it['reported']}, recomputed {it['recomputed']}" for it in found.wrong[:MOST_LISTED]]
    json.dump({"outputs": told}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
