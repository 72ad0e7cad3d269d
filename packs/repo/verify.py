"""Checks the report against the repository, by other ways than those it came about by: files are counted by walking the
tree, lines byte by byte, commits by `git rev-list`, and every place that a finding names is looked at again."""

import json
import os
import re
import subprocess
import sys

MARKS = (b"TODO", b"FIXME", b"XXX", b"HACK")
WRITTEN_BY_HAND = re.compile(rb"[\"']([^\"'\s]{8,})[\"']")


def git(*args):
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    return subprocess.run(["git", *args], capture_output=True, env=env).stdout


class Checked:
    def __init__(self):
        self.count, self.wrong = 0, []

    def claim(self, what, told, again):
        self.count += 1
        if told != again:
            self.wrong.append(f"{what}: reported {told}, found {again}")


def tracked(is_repository):
    if is_repository:
        # Stage entries instead of names: the mode says what is a link or a submodule.
        entries = [entry.split(b"\t", 1) for entry in git("ls-files", "-s", "-z").split(b"\0") if entry]
        names = {os.fsdecode(name) for mode, name in entries if mode.startswith(b"100")}
        if names:
            return sorted(name for name in names if os.path.isfile(name) and not os.path.islink(name))
    skipped = {".git", "target", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", ".tox", ".mypy_cache", "candor-output", "vendor"}
    found, open_folders = [], ["."]
    while open_folders:
        with os.scandir(open_folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in skipped and not os.path.exists(os.path.join(entry.path, "candor.db")):
                        open_folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    found.append(entry.path[2:] if entry.path.startswith("./") else entry.path)
    return sorted(found)


def count_lines(path):
    """Lines of a text of at most 2 MB; nothing for others, as the report says."""
    if os.stat(path).st_size > 2 * 1024 * 1024:
        return 0
    lines, last, first = 0, b"\n", True
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(8192), b""):
            if first and b"\0" in part:
                return 0
            first = False
            lines += part.count(b"\n")
            last = part[-1:]
    return lines + (last != b"\n")


def line_at(place):
    path, _, number = place.rpartition(":")
    with open(path, "rb") as file:
        for n, line in enumerate(file, 1):
            if n == int(number):
                return line
    return b""


def main():
    json.load(sys.stdin)
    folder = os.environ["CANDOR_OUTPUT"]
    read = lambda name: json.load(open(os.path.join(folder, name), encoding="utf-8"))
    survey, secrets, checks, findings = read("survey.json"), read("secrets.json"), read("checks.json"), read("findings.json")
    with open(os.path.join(folder, "report.md"), encoding="utf-8") as file:
        report = file.read()
    checked, contents = Checked(), survey["contents"]
    paths = tracked(survey["is_repository"])
    checked.claim("files", contents["files"], len(paths))
    checked.claim("bytes", contents["bytes"], sum(os.stat(path).st_size for path in paths))
    checked.claim("lines", contents["lines"], sum(count_lines(path) for path in paths))
    if survey["history"]:
        checked.claim("commits", survey["history"]["commits"], int(git("rev-list", "--count", "HEAD") or 0))
    for place in contents["todo_places"]:
        checked.claim(f"mark at {place}", True, any(mark in line_at(place) for mark in MARKS))
    for entry in contents["large_files"]:
        checked.claim(f"size of {entry['path']}", True, os.stat(entry["path"]).st_size > 5 * 1024 * 1024)
    # A secret is told by its place; its own line must be there, and nothing of it may stand in the report.
    shown = sum(value_shown(entry["place"], report) for entry in secrets["found"])
    for entry in secrets["found"]:
        checked.claim(f"line at {entry['place']}", True, bool(line_at(entry["place"]).strip()))
    for check in checks:
        checked.claim(f"status of {check['name']}", check["status"] == "passed", check.get("exit_code") == 0)
        checked.claim(f"{check['name']} is in the report", True, check["name"] in report)
    for entry in findings:
        checked.claim(f"finding {entry['code']} is in the report", True, entry["what"] in report)
    weights = [["high", "medium", "low"].index(entry["weight"]) for entry in findings]
    checked.claim("findings are in the order of their weight", weights, sorted(weights))
    told = {"claims_checked": checked.count, "claims_wrong": len(checked.wrong), "secret_values_shown": shown}
    if checked.wrong:
        told["differences"] = checked.wrong[:20]
    json.dump({"outputs": told}, sys.stdout, ensure_ascii=False)


def value_shown(place, report):
    values = WRITTEN_BY_HAND.findall(line_at(place)) + re.findall(rb"[A-Za-z0-9_+/=-]{20,}", line_at(place))
    return sum(value.decode("utf-8", "replace") in report for value in values)


if __name__ == "__main__":
    main()
