"""The agents of the data pack: `profile`, `analyse`, `report`, each one step. An order comes in on standard input as JSON,
the answer goes out on standard output. Files are written to CANDOR_OUTPUT and nowhere else."""

import json
import os
import sys

from columns import profile
from compute import TooMany, compute
from report import shown, write
from request import NotThere, Reader
from tables import Table, TableError

# So many rows of a result are in the answer itself; all of them are in the files.
MOST_TOLD = 20


def upstream(order, name):
    """What a task before this one handed over under this name."""
    for outputs in order.get("upstream", {}).values():
        if name in outputs:
            return outputs[name]
    raise TableError(f"the step before this one left no {name}")


def kept(name):
    with open(os.path.join(os.environ["CANDOR_OUTPUT"], name), encoding="utf-8") as file:
        return json.load(file)


def keep(name, value):
    with open(os.path.join(os.environ["CANDOR_OUTPUT"], name), "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)


def file_of(order):
    files = order["inputs"].get("files") or [order["inputs"]["file"]]
    if len(files) > 1:
        raise NotThere(f"only one file at a time can be analysed; ask once for each of {', '.join(files)}")
    return files[0]


def step_profile(order):
    file = file_of(order)
    facts = profile(Table(file))
    if facts["rows"] == 0:
        raise TableError(f"{file} has a header and no rows")
    # Whether the request can be answered is known now, before anything is computed.
    Reader(order["inputs"]["request"], [file], facts).questions()
    keep("profile.json", facts)
    told = [{key: column[key] for key in ("name", "type", "missing")} for column in facts["columns"][:100]]
    return {"rows": facts["rows"], "columns": told, "column_count": len(facts["columns"])}


def step_analyse(order):
    file, facts = file_of(order), kept("profile.json")
    reader = Reader(order["inputs"]["request"], [file], facts)
    results, outliers = compute(Table(file), facts, reader.questions())
    empty = next((result for result in results if result["rows_used"] == 0), None)
    if empty:
        raise NotThere(f"no row of {file} is left for “{empty['title']}”")
    keep("figures.json", {"file": file, "request": order["inputs"]["request"], "assumed": reader.assumed, "profile": facts,
                          "results": results, "outliers": outliers, "spanish": reader.spanish()})
    told = [{"what": result["title"], "rows_used": result["rows_used"], "groups": result["groups"]} for result in results]
    figures = lines(results)
    answer = {"answer": [f"{line['name']}: {line['value']}" for line in figures], "figures": figures, "questions": told}
    return {**answer, "assumed": reader.assumed} if reader.assumed else answer


def lines(results):
    out = []
    for result in results:
        for row in result["rows"][:MOST_TOLD]:
            name = " · ".join(key or "(empty)" for key in row["keys"]) or result["title"]
            out.append({"name": name, "value": ", ".join(shown(value) for value in row["values"]), "result": result["title"]})
    return out


def step_report(order):
    work = kept("figures.json")
    folder = os.environ["CANDOR_OUTPUT"]
    files, charts = write(folder, work, work["spanish"])
    here = os.path.relpath(folder)
    told = {"report_file": os.path.join(here, files[0]), "svg_charts": [os.path.join(here, name) for name in charts],
            "tables": [os.path.join(here, name) for name in files[1:]]}
    return {name: value for name, value in told.items() if value}


STEPS = {"profile": step_profile, "analyse": step_analyse, "report": step_report}


def main():
    order = json.load(sys.stdin)
    try:
        answer = {"outputs": STEPS[sys.argv[1]](order)}
    except (NotThere, TableError, TooMany) as problem:
        answer = {"error": {"kind": "task_error", "message": str(problem), "retryable": False}}
    json.dump(answer, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
