"""History, contributors, languages, sizes, TODOs, licence and dependencies of a repository."""

import json
import os
import re
import time
from collections import Counter

from tree import PROSE, files, git, is_repository, is_test, language_of, text_of

LARGE = 5 * 1024 * 1024
MARK = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
MOST_PLACES = 20

LICENCES = [
    ("Apache-2.0", "apache license"), ("MPL-2.0", "mozilla public license"), ("AGPL-3.0", "gnu affero general public license"),
    ("LGPL", "gnu lesser general public license"), ("GPL-3.0", "gnu general public license"), ("Unlicense", "this is free and unencumbered software"),
    ("MIT", "permission is hereby granted, free of charge"), ("ISC", "permission to use, copy, modify, and/or distribute this software"),
    ("BSD", "redistribution and use in source and binary forms"), ("Zlib", "this software is provided 'as-is'"), ("CC0", "cc0 1.0"),
]


def history():
    if not is_repository():
        return None
    log = git("log", "--format=%ae%x09%an%x09%at")
    if not log:
        return {"commits": 0}
    rows = [line.split("\t") for line in log.splitlines() if line.count("\t") == 2]
    times = [int(row[2]) for row in rows]
    names = {row[0].lower(): row[1] for row in rows}
    counts = Counter(row[0].lower() for row in rows)
    half, few = 0, 0
    for _, n in counts.most_common():
        half, few = half + n, few + 1
        if half * 2 >= len(rows):
            break
    year = sum(stamp > time.time() - 365 * 86400 for stamp in times)
    return {
        "commits": len(rows), "first": day(min(times)), "last": day(max(times)), "days_since_last": int((time.time() - max(times)) / 86400),
        "commits_last_year": year, "contributors": len(counts), "half_of_commits_by": few,
        "top": [{"name": names[mail], "commits": n} for mail, n in counts.most_common(5)],
        "shallow": (git("rev-parse", "--is-shallow-repository") or "").strip() == "true",
    }


def day(stamp):
    return time.strftime("%Y-%m-%d", time.gmtime(stamp))


def contents(paths):
    languages, todos, large, total, lines_all = {}, [], [], 0, 0
    for path in paths:
        size = os.path.getsize(path)
        total += size
        if size > LARGE:
            large.append({"path": path, "megabytes": round(size / 1e6, 1)})
        text = text_of(path)
        if text is None:
            continue
        lines = text.count("\n") + (not text.endswith("\n") and bool(text))
        lines_all += lines
        language = language_of(path)
        if language:
            known = languages.setdefault(language, {"files": 0, "lines": 0})
            known["files"] += 1
            known["lines"] += lines
        if language and language not in PROSE:
            todos += [f"{path}:{n}" for n, line in enumerate(text.split("\n"), 1) if MARK.search(line)]
    ordered = sorted(languages.items(), key=lambda it: -it[1]["lines"])
    return {"files": len(paths), "bytes": total, "lines": lines_all, "languages": [{"language": name, **facts} for name, facts in ordered],
            "todos": len(todos), "todo_places": todos[:MOST_PLACES], "large_files": large,
            "test_files": sum(is_test(path) and language_of(path) not in PROSE | {None} for path in paths) + inline_tests(paths)}


def inline_tests(paths):
    """Rust has tests inside of its sources."""
    return sum("#[test]" in (text_of(path) or "") for path in paths if path.endswith(".rs") and not is_test(path))


def licence(paths):
    files, kinds = [], []
    for path in paths:
        name = os.path.basename(path).lower()
        if "/" not in path and name.startswith(("license", "licence", "copying", "unlicense")):
            text = " ".join((text_of(path) or "").lower().split())
            files.append(path)
            kinds.append(next((kind for kind, words in LICENCES if words in text), "unknown"))
    if files:
        return {"file": ", ".join(files), "kind": " / ".join(dict.fromkeys(kinds))}
    declared = read_json(text_of("package.json") or "").get("license") if "package.json" in paths else None
    if isinstance(declared, str):
        return {"file": "package.json", "kind": declared}
    for path in ("Cargo.toml", "pyproject.toml"):
        match = re.search(r'(?m)^\s*license\s*=\s*[{]?\s*(?:text\s*=\s*)?"([^"]+)"', text_of(path) or "") if path in paths else None
        if match:
            return {"file": path, "kind": match.group(1)}
    return None


def dependencies(paths):
    found = []
    for path in paths:
        name = os.path.basename(path)
        if path.count("/") > 3 or is_test(path):
            continue
        reader = {"Cargo.toml": cargo, "package.json": npm, "requirements.txt": pip, "pyproject.toml": pyproject, "go.mod": gomod}.get(name)
        if reader:
            names, loose = reader(text_of(path) or "")
            found.append({"file": path, "count": len(names), "names": names[:50], "any_version": loose[:20]})
    locks = [path for path in paths if os.path.basename(path) in ("Cargo.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "go.sum", "Pipfile.lock")]
    return {"files": found, "count": sum(entry["count"] for entry in found), "lock_files": locks}


def cargo(text):
    names, loose, inside = [], [], False
    for line in text.splitlines():
        head = re.match(r"\s*\[([^\]]+)\]", line)
        if head:
            parts = head.group(1).strip().split(".")
            inside = parts[-1].endswith("dependencies")
            if len(parts) > 1 and parts[-2].endswith("dependencies"):
                names.append(parts[-1].strip('"'))
            continue
        entry = re.match(r'\s*([A-Za-z0-9_-]+)(?:\.\w+)?\s*=\s*(.*)', line) if inside else None
        if entry:
            names.append(entry.group(1))
            if re.search(r'^"\*"|version\s*=\s*"\*"', entry.group(2)):
                loose.append(entry.group(1))
    return sorted(set(names)), loose


def read_json(text):
    """The object in a text; empty where there is none."""
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def npm(text):
    read, pairs = read_json(text), {}
    for part in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        if isinstance(read.get(part), dict):
            pairs.update(read[part])
    return sorted(pairs), sorted(name for name, version in pairs.items() if version in ("*", "latest", ""))


def pip(text):
    names, loose = [], []
    for line in text.splitlines():
        entry = re.match(r"\s*([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*(.*)", line.split("#")[0])
        if entry and not line.strip().startswith("-"):
            names.append(entry.group(1))
            if not entry.group(2).strip():
                loose.append(entry.group(1))
    return names, loose


def pyproject(text):
    listed = re.search(r"(?ms)^dependencies\s*=\s*\[(.*?)\]\s*$", text)
    names = re.findall(r'"([A-Za-z0-9._-]+)[^"]*"', listed.group(1)) if listed else []
    poetry = re.search(r"(?ms)^\[tool\.poetry\.dependencies\]\n(.*?)(?=^\[|\Z)", text)
    names += [name for name in re.findall(r"(?m)^([A-Za-z0-9._-]+)\s*=", poetry.group(1)) if name != "python"] if poetry else []
    return names, []


def gomod(text):
    return sorted(set(re.findall(r"(?m)^(?:require\s+|\t)([\w./-]+\.[\w./-]+) v", text))), []


def survey():
    paths = files()
    top = {path.lower() for path in paths if "/" not in path}
    return {
        "is_repository": is_repository(), "history": history(), "contents": contents(paths), "licence": licence(paths),
        "dependencies": dependencies(paths), "readme": any(name.startswith("readme") for name in top),
        "ci": any(path.startswith((".github/workflows/", ".circleci/", ".forgejo/", ".woodpecker")) or path in (".gitlab-ci.yml", "azure-pipelines.yml", ".travis.yml", "Jenkinsfile") for path in paths),
        "manifests": sorted(name for name in top if name in ("cargo.toml", "package.json", "pyproject.toml", "setup.py", "go.mod")),
    }
