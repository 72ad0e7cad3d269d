"""What is wrong with a repository, by weight, and the report that says so. English or Spanish, as the request is."""

import os

WEIGHTS = ["high", "medium", "low"]
MOST_PLACES = 15
STALE_DAYS = 730

# Each text in English and Spanish.
TEXTS = {
    "secrets": ("{n} places seem to hold a secret: {places}", "{n} lugares parecen contener un secreto: {places}"),
    "test_secrets": ("{n} places in tests or examples look like secrets: {places}", "{n} lugares en pruebas o ejemplos parecen secretos: {places}"),
    "secrets_do": ("Take them out, replace them where they are used, and remove them from the history", "Quítelos, cámbielos donde se usen y elimínelos del historial"),
    "tests_fail": ("{name} fails: {numbers}", "{name} falla: {numbers}"),
    "tests_fail_do": ("Its last lines are below, under Checks", "Sus últimas líneas están abajo, en Comprobaciones"),
    "lints_fail": ("{name} finds problems (exit code {code})", "{name} encuentra problemas (código {code})"),
    "not_run": ("{name} was not run: {why}", "{name} no se ejecutó: {why}"),
    "not_run_do": ("Run it yourself where its dependencies are installed", "Ejecútelo donde sus dependencias estén instaladas"),
    "no_tests": ("No tests were found", "No se encontraron pruebas"),
    "no_licence": ("There is no licence: nobody else may use the code", "No hay licencia: nadie más puede usar el código"),
    "odd_licence": ("The licence in {file} is not one of the usual ones", "La licencia de {file} no es una de las habituales"),
    "no_readme": ("There is no README", "No hay README"),
    "no_ci": ("No continuous integration is configured", "No hay integración continua configurada"),
    "large": ("{n} files are larger than 5 MB: {places}", "{n} archivos superan 5 MB: {places}"),
    "one_person": ("One person wrote half of all {commits} commits ({name})", "Una persona hizo la mitad de los {commits} commits ({name})"),
    "stale": ("The last commit is {days} days old", "El último commit tiene {days} días"),
    "todos": ("{n} TODO, FIXME, XXX or HACK marks: {places}", "{n} marcas TODO, FIXME, XXX o HACK: {places}"),
    "loose": ("Dependencies accept any version: {names}", "Hay dependencias que aceptan cualquier versión: {names}"),
    "no_lock": ("{n} dependencies and no lock file", "{n} dependencias y ningún archivo de bloqueo"),
    "no_history": ("This folder is not a git repository: its history is not known", "Esta carpeta no es un repositorio git: no se conoce su historial"),
}
SPANISH = {
    "Health of": "Salud de", "Findings": "Hallazgos", "Nothing was found that needs attention.": "No se encontró nada que requiera atención.",
    "Facts": "Datos", "History": "Historial", "Languages": "Lenguajes", "Licence": "Licencia", "Dependencies": "Dependencias", "Checks": "Comprobaciones",
    "Files": "Archivos", "lines": "líneas", "none": "ninguna", "commits": "commits", "contributors": "colaboradores", "to": "a", "in the last year": "en el último año",
    "Secrets": "Secretos", "files scanned": "archivos examinados", "places found": "lugares encontrados", "high": "grave", "medium": "media", "low": "leve",
    "status": "estado", "check": "comprobación", "passed": "aprobado", "failed": "fallido", "not_run": "no ejecutado", "detail": "detalle", "language": "lenguaje", "files": "archivos", "Marks": "Marcas",
}


def findings(work, spanish):
    facts, secrets, checks = work["survey"], work["secrets"], work["checks"]
    found = []

    def add(weight, key, do=None, **values):
        text = TEXTS[key][spanish].format(**values)
        found.append({"weight": weight, "code": key, "what": text, **({"do": TEXTS[do][spanish]} if do else {}), **({"places": values["listed"]} if "listed" in values else {})})

    for test, weight, key in ((False, "high", "secrets"), (True, "low", "test_secrets")):
        places = [f"{entry['place']} ({entry['kind']})" for entry in secrets["found"] if entry["test"] == test]
        if places:
            add(weight, key, "secrets_do", n=len(places), places=some(places), listed=places)
    for check in checks:
        if check["status"] == "failed" and check["kind"] == "tests":
            numbers = f"{check['failed']} / {check['failed'] + check['passed']}" if check.get("failed") else f"exit code {check['exit_code']}"
            add("high", "tests_fail", "tests_fail_do", name=check["name"], numbers=numbers)
        elif check["status"] == "failed":
            add("low" if check["kind"] == "format" else "medium", "lints_fail", "tests_fail_do", name=check["name"], code=check["exit_code"])
        elif check["status"] == "not_run":
            add("low", "not_run", "not_run_do", name=check["name"], why=check["why"])
    contents, history = facts["contents"], facts["history"]
    if not contents["test_files"]:
        add("medium", "no_tests")
    if not facts["licence"]:
        add("medium", "no_licence")
    elif facts["licence"]["kind"] == "unknown":
        add("low", "odd_licence", file=facts["licence"]["file"])
    if not facts["readme"]:
        add("medium", "no_readme")
    if contents["large_files"]:
        add("medium", "large", n=len(contents["large_files"]), places=some([f"{it['path']} ({it['megabytes']} MB)" for it in contents["large_files"]]))
    if not history:
        add("low", "no_history")
    elif history["commits"]:
        if history["half_of_commits_by"] == 1 and history["contributors"] > 1:
            add("low", "one_person", commits=history["commits"], name=history["top"][0]["name"])
        if history["days_since_last"] > STALE_DAYS:
            add("medium", "stale", days=history["days_since_last"])
    loose = [name for entry in facts["dependencies"]["files"] for name in entry["any_version"]]
    if loose:
        add("medium", "loose", names=some(loose))
    if facts["dependencies"]["count"] and not facts["dependencies"]["lock_files"]:
        add("low", "no_lock", n=facts["dependencies"]["count"])
    if not facts["ci"] and facts["is_repository"]:
        add("low", "no_ci")
    if contents["todos"]:
        add("low", "todos", n=contents["todos"], places=some(contents["todo_places"]), listed=contents["todo_places"])
    return sorted(found, key=lambda entry: WEIGHTS.index(entry["weight"]))


def some(places):
    more = len(places) - 5
    return ", ".join(places[:5]) + (f" (+{more})" if more > 0 else "")


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def write(folder, name, work, found, spanish):
    t = lambda words: SPANISH.get(words, words) if spanish else words
    facts, checks, secrets = work["survey"], work["checks"], work["secrets"]
    contents, history, licence = facts["contents"], facts["history"], facts["licence"]
    lines = [f"# {t('Health of')} {name}", "", f"## {t('Findings')}", ""]
    lines += [f"{n}. **{t(entry['weight'])}** — {entry['what']}" + (f". {entry['do']}." if "do" in entry else "") for n, entry in enumerate(found, 1)]
    lines += [] if found else [t("Nothing was found that needs attention.")]
    lines += ["", f"## {t('Checks')}", "", f"| {t('check')} | {t('status')} | {t('detail')} |", "|---|---|---|"]
    for check in checks:
        detail = check.get("why") or (f"{check['passed']} {t('passed')}, {check['failed']} {t('failed')}" if "passed" in check else f"exit code {check['exit_code']}")
        lines.append(f"| {check['name']} | {t(check['status'])} | {cell(detail)} |")
    for check in checks:
        if check.get("last_lines"):
            lines += ["", f"{check['name']}:", "", "```text", *[line.replace("```", "'''") for line in check["last_lines"]], "```"]
    lines += ["", f"## {t('Facts')}", "", f"- {t('Files')}: {contents['files']}, {contents['lines']} {t('lines')}, {contents['bytes'] / 1e6:.1f} MB"]
    if history and history["commits"]:
        top = ", ".join(f"{entry['name']} ({entry['commits']})" for entry in history["top"])
        lines.append(f"- {t('History')}: {history['commits']} {t('commits')}, {history['first']} {t('to')} {history['last']}, {history['commits_last_year']} {t('in the last year')}; {history['contributors']} {t('contributors')}: {top}"
                     + (" (shallow clone)" if history["shallow"] else ""))
    lines.append(f"- {t('Licence')}: {licence['kind']} ({licence['file']})" if licence else f"- {t('Licence')}: {t('none')}")
    depends = "; ".join(f"{entry['file']}: {entry['count']}" for entry in facts["dependencies"]["files"][:10]) or t("none")
    lines.append(f"- {t('Dependencies')}: {depends}")
    lines.append(f"- {t('Secrets')}: {secrets['files_scanned']} {t('files scanned')}, {secrets['count']} {t('places found')}")
    lines += ["", f"## {t('Languages')}", "", f"| {t('language')} | {t('files')} | {t('lines')} |", "|---|---:|---:|"]
    lines += [f"| {entry['language']} | {entry['files']} | {entry['lines']} |" for entry in contents["languages"][:15]]
    for entry in found:
        if len(entry.get("places", [])) > 5:
            lines += ["", f"## {entry['what'].split(':')[0]}", ""] + [f"- {place}" for place in entry["places"][:MOST_PLACES]]
    place = os.path.join(folder, "report.md")
    with open(place, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return place
