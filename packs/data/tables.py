"""Reads tables row by row, in bounded memory: CSV, TSV, JSON lines and Excel, with the standard library only."""

import csv
import io
import json
import os
import re
import xml.etree.ElementTree as ET
import zipfile
from datetime import date, timedelta

csv.field_size_limit(16 * 1024 * 1024)

DELIMITERS = ",;\t|"
MISSING = {"", "na", "n/a", "null", "none", "nan", "-"}
SAMPLE_BYTES = 256 * 1024
# Keys of JSON lines are taken from so many lines at the beginning.
KEY_LINES = 10_000


class TableError(Exception):
    """The file cannot be read as a table; the text says why, for people."""


class Table:
    """A file with rows. `rows()` can be called again and again; each call reads the file from its beginning."""

    def __init__(self, path):
        if not os.path.isfile(path):
            beside = [name for name in sorted(os.listdir(os.path.dirname(path) or ".")) if ending(name) in READERS]
            there = f"; data files there: {', '.join(beside[:10])}" if beside else ""
            raise TableError(f"there is no file {path}{there}")
        reader = READERS.get(ending(path))
        if reader is None:
            raise TableError(f"{path}: only {', '.join(sorted(READERS))} files can be read")
        if os.path.getsize(path) == 0:
            raise TableError(f"{path} is empty")
        self.path, self.kind = path, ending(path)
        self.columns, self.rows, self.facts = reader(path)
        if not self.columns:
            raise TableError(f"{path} has no columns")

    def chunks(self, size=20_000):
        """Rows in lists of at most `size`, each row as long as there are columns."""
        wide, chunk = len(self.columns), []
        for row in self.rows():
            if len(row) != wide:
                row = (row + [""] * wide)[:wide]
            chunk.append(row)
            if len(chunk) == size:
                yield chunk
                chunk = []
        if chunk:
            yield chunk


def ending(path):
    return path.rsplit(".", 1)[-1].lower() if "." in path else ""


def encoding_of(path):
    with open(path, "rb") as file:
        start = file.read(SAMPLE_BYTES)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        # The sample may end in the middle of a letter.
        start.decode("utf-8") if len(start) < SAMPLE_BYTES else start[:-4].decode("utf-8", "strict")
        return "utf-8-sig"
    except UnicodeDecodeError as error:
        return "utf-8-sig" if error.start > len(start) - 8 else "cp1252"


def delimiter_of(sample):
    """The mark that parts most lines into the same number of fields."""
    lines = [line for line in sample.splitlines()[:50] if line.strip()]
    best = (0, ",")
    for mark in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=mark)]
        if not widths or widths[0] < 2:
            continue
        same = sum(width == widths[0] for width in widths) / len(widths)
        best = max(best, (same * 100 + min(widths[0], 50) / 100, mark))
    return best[1]


def unique(names):
    """Column names that differ; one without a name is called by its place."""
    seen, out = {}, []
    for n, name in enumerate(names, 1):
        name = str(name).strip() or f"column_{n}"
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return out


def read_delimited(path, mark=None):
    encoding = encoding_of(path)

    def opened():
        return open(path, encoding=encoding, errors="replace", newline="")

    with opened() as file:
        sample = file.read(SAMPLE_BYTES)
    mark = mark or delimiter_of(sample)
    first = next(csv.reader(io.StringIO(sample), delimiter=mark), [])
    # A first row of numbers is no header.
    headed = not first or not all(is_number(cell) for cell in first)
    columns = unique(first) if headed else [f"column_{n}" for n in range(1, len(first) + 1)]

    def rows():
        with opened() as file:
            reader = csv.reader(file, delimiter=mark)
            if headed:
                next(reader, None)
            for row in reader:
                if row:
                    yield row

    shown = {"\t": "tab"}.get(mark, mark)
    return columns, rows, {"encoding": encoding.replace("-sig", ""), "delimiter": shown, "header": headed}


def read_jsonl(path):
    columns = {}
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for n, line in enumerate(file, 1):
            if n > KEY_LINES:
                break
            if line.strip():
                columns.update(dict.fromkeys(object_of(path, n, line)))
    names = list(columns)

    def rows():
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            for n, line in enumerate(file, 1):
                if line.strip():
                    entry = object_of(path, n, line)
                    yield [text_of(entry.get(name)) for name in names]

    return names, rows, {"encoding": "utf-8"}


def object_of(path, n, line):
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise TableError(f"{path}, line {n} is not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise TableError(f"{path}, line {n}: expected a JSON object, found other JSON")
    return entry


def text_of(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
DATE_FORMATS = set(range(14, 23)) | {27, 30, 36, 45, 46, 47, 50, 57}


def read_xlsx(path):
    try:
        with zipfile.ZipFile(path) as book:
            sheet, name, others = first_sheet(book)
            texts, dates = shared_texts(book), date_styles(book)
    except (zipfile.BadZipFile, KeyError, ET.ParseError) as error:
        raise TableError(f"{path} is not an Excel workbook (.xlsx): {error}") from None

    def every():
        with zipfile.ZipFile(path) as book, book.open(sheet) as file:
            for _, element in ET.iterparse(file):
                if element.tag == NS + "row":
                    yield cells_of(element, texts, dates)
                    element.clear()

    first = next((row for row in every() if any(row)), [])

    def rows():
        begun = False
        for row in every():
            if not begun:
                begun = any(row)
                continue
            if any(row):
                yield row

    facts = {"sheet": name}
    if others:
        facts["other_sheets"] = others
    return unique(first), rows, facts


def first_sheet(book):
    root = ET.fromstring(book.read("xl/workbook.xml"))
    sheets = root.findall(f"{NS}sheets/{NS}sheet")
    targets = {}
    for link in ET.fromstring(book.read("xl/_rels/workbook.xml.rels")):
        targets[link.get("Id")] = link.get("Target").lstrip("/")
    target = targets[sheets[0].get(REL)]
    target = target if target.startswith("xl/") else f"xl/{target}"
    return target, sheets[0].get("name"), [sheet.get("name") for sheet in sheets[1:]]


def shared_texts(book):
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    texts = []
    with book.open("xl/sharedStrings.xml") as file:
        for _, element in ET.iterparse(file):
            if element.tag == NS + "si":
                texts.append("".join(part.text or "" for part in element.iter(NS + "t")))
                element.clear()
    return texts


def date_styles(book):
    """The numbers of the cell styles that show a date."""
    if "xl/styles.xml" not in book.namelist():
        return set()
    root = ET.fromstring(book.read("xl/styles.xml"))
    formats = set(DATE_FORMATS)
    for form in root.iter(NS + "numFmt"):
        code = re.sub(r'"[^"]*"|\[[^\]]*\]', "", form.get("formatCode", "")).lower()
        if re.search(r"[dy]", code):
            formats.add(int(form.get("numFmtId")))
    styles = root.find(NS + "cellXfs")
    return {n for n, xf in enumerate(styles if styles is not None else []) if int(xf.get("numFmtId", 0)) in formats}


def cells_of(row, texts, dates):
    cells = []
    for cell in row.findall(NS + "c"):
        place = column_number(cell.get("r")) if cell.get("r") else len(cells)
        cells.extend([""] * (place - len(cells)))
        cells.append(cell_text(cell, texts, dates))
    return cells


def column_number(place):
    number = 0
    for letter in re.match(r"[A-Z]+", place).group():
        number = number * 26 + ord(letter) - 64
    return number - 1


def cell_text(cell, texts, dates):
    kind, value = cell.get("t"), cell.find(NS + "v")
    if kind == "inlineStr":
        return "".join(part.text or "" for part in cell.iter(NS + "t"))
    if value is None or value.text is None:
        return ""
    if kind == "s":
        return texts[int(value.text)]
    if kind == "b":
        return "true" if value.text == "1" else "false"
    if kind in (None, "n") and int(cell.get("s", -1)) in dates:
        # Excel counts days from here, with a 29 February 1900 that never was.
        return (date(1899, 12, 30) + timedelta(days=int(float(value.text)))).isoformat()
    return value.text


READERS = {
    "csv": read_delimited,
    "tsv": lambda path: read_delimited(path, "\t"),
    "jsonl": read_jsonl,
    "xlsx": read_xlsx,
}

CURRENCY = "$€£¥%"
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?$")
COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$")


def is_number(text):
    return number(text, ".") is not None or number(text, ",") is not None


def number(text, decimal):
    """The number that a cell holds, written with this decimal mark; nothing if it holds none."""
    text = text.strip()
    if decimal == ".":
        try:
            value = float(text)
            # Python also takes `1_000`, `nan` and `inf` for numbers.
            return value if value - value == 0 and "_" not in text else None
        except ValueError:
            pass
    text = text.strip(CURRENCY + " \u00a0").replace("\u00a0", "").replace(" ", "")
    if text.startswith("(") and text.endswith(")"):
        text = "-" + text[1:-1].strip(CURRENCY)
    for sign in ("-", "+"):
        # `-$5`
        if text.startswith(sign):
            text = sign + text[1:].lstrip(CURRENCY)
    if decimal == "." and (PLAIN.match(text) or GROUPED.match(text)):
        return float(text.replace(",", ""))
    if decimal == "," and COMMA.match(text):
        return float(text.replace(".", "").replace(",", "."))
    return None


DAY = re.compile(r"(\d{1,4})[-/.](\d{1,2})(?:[-/.](\d{1,4}))?(?:[T ].*)?$")
MONTHS = {
    name: n
    for names in (
        "january february march april may june july august september october november december",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "jan feb mar apr may jun jul aug sep oct nov dec",
    )
    for n, name in enumerate(names.split(), 1)
}


def day(text, order):
    """Year, month and day of a cell, by the order of its parts (`ymd`, `dmy`, `mdy`); nothing if it is no date."""
    found = DAY.match(text.strip())
    if not found:
        return None
    parts = [int(part) for part in found.groups() if part is not None]
    if len(parts) == 2:
        year, month, dom = (parts[0], parts[1], 1) if order == "ymd" else (0, 0, 0)
    else:
        named = dict(zip(order, parts))
        year, month, dom = named["y"], named["m"], named["d"]
    if year < 100 and order != "ymd":
        year += 2000 if year < 70 else 1900
    return (year, month, dom) if 1000 <= year <= 2999 and 1 <= month <= 12 and 1 <= dom <= 31 else None
