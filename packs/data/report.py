"""The report: Markdown with the figures, what they were taken from, and charts. English or Spanish, as the request is."""

import csv
import os

from charts import chart
from request import describe

MOST_ROWS = 50
MOST_COLUMNS = 60
MOST_CHARTS = 2

SPANISH = {
    "Analysis of": "Análisis de", "Request": "Petición", "Result": "Resultado", "Read as": "Leído como", "rows used": "filas usadas",
    "Assumed": "Supuesto", "The data": "Los datos", "rows": "filas", "columns": "columnas", "column": "columna", "type": "tipo",
    "missing": "faltan", "distinct": "distintos", "least": "mínimo", "most": "máximo", "mean": "media", "Outliers": "Valores atípicos",
    "share": "proporción", "total": "total", "more rows are in": "filas más están en", "(empty)": "(vacío)",
    "values outside": "valores fuera de", "furthest": "los más lejanos", "row": "fila", "none": "ninguno",
    "quartiles from a sample": "cuartiles de una muestra", "more than": "más de",
}


def shown(value):
    """A figure as people read it. Its last digit is right: the verification reads it again."""
    if value is None:
        return "–"
    if isinstance(value, int) or float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"


def write(folder, work, spanish):
    """Writes report, charts and tables; returns their names."""
    def t(words):
        return SPANISH.get(words, words) if spanish else words

    facts, results = work["profile"], work["results"]
    lines = [f"# {t('Analysis of')} {work['file']}", "", f"{t('Request')}: {work['request']}", ""]
    written, charts = [], []
    lines += [f"- {t('Assumed')}: {told}" for told in work["assumed"]] + ([""] if work["assumed"] else [])
    for n, result in enumerate(results, 1):
        result["title"] = describe(result["question"], spanish)
        lines += [f"## {result['title'][:1].upper()}{result['title'][1:]}", ""]
        lines += table(result, n, t)
        extra = len(result["rows"]) - MOST_ROWS
        if extra > 0 or result["groups"] > 1:
            name = f"result-{n}.csv"
            save(os.path.join(folder, name), result)
            written.append(name)
            if extra > 0:
                lines += [f"{extra} {t('more rows are in')} [{name}]({name}).", ""]
        lines += [f"{t('rows used')}: {result['rows_used']:,}", ""]
        drawing = chart(result, shown) if len(charts) < MOST_CHARTS else None
        if drawing:
            name = f"chart-{n}.svg"
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(drawing)
            charts.append(name)
            lines += [f"![{result['title']}]({name})", ""]
    lines += outliers(work["outliers"], facts, t) + data(facts, work["file"], t)
    with open(os.path.join(folder, "report.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return ["report.md", *written], charts


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(result, n, t):
    shares = any("share" in row for row in result["rows"])
    names = [cell(name) for name in result["group_names"]] + [cell(name) for name in result["measure_names"]] + ([t("share")] if shares else [])
    lines = [f"<!-- figures {n} -->", "| " + " | ".join(names) + " |"]
    groups = len(result["group_names"])
    lines.append("|" + "---|" * groups + "---:|" * (len(names) - groups))
    for row in result["rows"][:MOST_ROWS]:
        cells = [cell(key) or t("(empty)") for key in row["keys"]] + [shown(value) for value in row["values"]]
        if shares:
            cells.append("–" if row.get("share") is None else f"{row['share'] * 100:.2f} %")
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def save(path, result):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(result["group_names"] + result["measure_names"])
        writer.writerows(row["keys"] + row["values"] for row in result["rows"])


def outliers(found, facts, t):
    if not found:
        return []
    exact = {column["name"]: column.get("quartiles_exact") for column in facts["columns"]}
    lines = [f"## {t('Outliers')}", ""]
    for entry in found:
        far = ", ".join(f"{shown(row['value'])} ({t('row')} {row['row']:,})" for row in entry["furthest"]) or t("none")
        note = "" if exact.get(entry["column"]) else f" ({t('quartiles from a sample')})"
        lines.append(f"- {entry['column']}: {entry['count']:,} {t('values outside')} {shown(entry['below'])} … {shown(entry['above'])}{note}; {t('furthest')}: {far}")
    return [*lines, ""]


def data(facts, file, t):
    extra = ", ".join(f"{key} {value}" for key, value in facts.items() if key in ("delimiter", "encoding", "sheet"))
    lines = [f"## {t('The data')}", "", f"{file}: {facts['rows']:,} {t('rows')}, {len(facts['columns'])} {t('columns')}" + (f" ({extra})" if extra else ""), "",
             "<!-- columns -->",
             f"| {t('column')} | {t('type')} | {t('missing')} | {t('distinct')} | {t('least')} | {t('mean')} | {t('most')} |", "|---|---|---:|---:|---:|---:|---:|"]
    for column in facts["columns"][:MOST_COLUMNS]:
        distinct = f"{column['distinct']:,}" if "distinct" in column else f"{t('more than')} 1,000"
        numbers = [shown(column[key]) if key in column else "" for key in ("min", "mean", "max")]
        lines.append("| " + " | ".join([cell(column["name"]), column["type"], f"{column['missing']:,}", distinct, *numbers]) + " |")
    return [*lines, ""]
