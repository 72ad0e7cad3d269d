"""The agents of the repo pack: `survey`, `secrets`, `checks`, `report`, each one step. An order comes in on standard input
as JSON, the answer goes out on standard output. Files are written to CANDOR_OUTPUT and nowhere else."""

import json
import os
import sys

import leaks
from checks import checks
from findings import findings, write
from survey import survey
from tree import files


def keep(name, value):
    with open(os.path.join(os.environ["CANDOR_OUTPUT"], name), "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)


def kept(name):
    with open(os.path.join(os.environ["CANDOR_OUTPUT"], name), encoding="utf-8") as file:
        return json.load(file)


def step_survey(order):
    facts = survey()
    if not facts["contents"]["files"]:
        raise ValueError("there are no files in this folder to look at")
    keep("survey.json", facts)
    told = {"files": facts["contents"]["files"], "lines": facts["contents"]["lines"], "dependency_count": facts["dependencies"]["count"],
            "languages": [f"{entry['language']} {entry['lines']}" for entry in facts["contents"]["languages"][:5]]}
    if facts["history"]:
        told.update(commits=facts["history"]["commits"], contributors=facts["history"].get("contributors", 0))
    return told


def step_secrets(order):
    found = leaks.scan(files())
    keep("secrets.json", found)
    return {"files_scanned": found["files_scanned"], "places": [f"{entry['place']} ({entry['kind']})" for entry in found["found"][:20]],
            "secrets_found": found["count"]}


def step_checks(order):
    found = checks()
    keep("checks.json", found)
    return {"checks_run": [line(check) for check in found] or ["there is nothing to run: no Cargo.toml, package.json, go.mod or Python files"]}


def line(check):
    if check["status"] == "not_run":
        return f"{check['name']}: not run, {check['why']}"
    tests = f", {check['passed']} passed, {check['failed']} failed" if "passed" in check else ""
    return f"{check['name']}: {check['status']}{tests}"


def step_report(order):
    spanish = is_spanish(order["inputs"].get("request", ""))
    work = {"survey": kept("survey.json"), "secrets": kept("secrets.json"), "checks": kept("checks.json")}
    listed = findings(work, spanish)
    keep("findings.json", listed)
    place = write(os.environ["CANDOR_OUTPUT"], os.path.basename(os.getcwd()), work, listed, spanish)
    return {"findings": [f"{entry['weight']}: {entry['what']}" for entry in listed], "findings_count": len(listed), "report_file": os.path.relpath(place)}


def is_spanish(request):
    return sum(word in request.lower().split() for word in ("de", "el", "la", "este", "del", "salud", "revisa", "repositorio", "comprueba")) > 1


STEPS = {"survey": step_survey, "secrets": step_secrets, "checks": step_checks, "report": step_report}


def main():
    order = json.load(sys.stdin)
    try:
        answer = {"outputs": STEPS[sys.argv[1]](order)}
    except ValueError as problem:
        answer = {"error": {"kind": "task_error", "message": str(problem), "retryable": False}}
    json.dump(answer, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
