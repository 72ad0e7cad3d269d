"""Runs a repository's own tests and lints with the tools that are installed, on a copy in a scratch folder.

The repository itself stays as it is. There is no network: what cannot run offline is told as not run, with the reason,
and is no failure of the repository.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time

from tree import files, is_test, text_of

# A repository that is larger is not copied.
MOST_BYTES = 300 * 1024 * 1024
SECONDS = int(os.environ.get("CANDOR_CHECK_SECONDS", "900"))
OFFLINE = re.compile(
    r"(?i)no matching package named|failed to download|attempting to make an http request|--offline|could not resolve host|network is unreachable|"
    r"failed to get `|unable to update registry|no such command|is not installed|command not found|no module named|cannot find module providing|"
    r"cannot find module (?!['\"]?[./])|dial tcp|module lookup disabled|eai_again|enotfound|toolchain .* is not installed|requires rustc|rustup could not|rustup-init|"
    r"could not choose a version of|read-only file system|checksum for|failed to load source for dependency|temporary failure in name"
)


def environment(scratch):
    home = os.environ.get("CANDOR_USER_HOME", "")
    env = dict(os.environ)
    env.update(CARGO_HOME=env.get("CARGO_HOME") or os.path.join(home, ".cargo"), RUSTUP_HOME=env.get("RUSTUP_HOME") or os.path.join(home, ".rustup"),
               CARGO_TARGET_DIR=os.path.join(scratch, "target"), CARGO_NET_OFFLINE="true", CARGO_TERM_COLOR="never", GOCACHE=os.path.join(scratch, "gocache"),
               GOPATH=env.get("GOPATH") or os.path.join(home, "go"), GOPROXY="off", GOFLAGS="-mod=mod", NO_COLOR="1", CI="1",
               npm_config_cache=os.path.join(scratch, "npm"), npm_config_update_notifier="false", PYTHONDONTWRITEBYTECODE="1")
    return env


def wanted(root):
    """What can be run here: name, kind and command."""
    has = lambda name: os.path.isfile(os.path.join(root, name))
    found = []
    if has("Cargo.toml"):
        found += [("cargo test", "tests", ["cargo", "test", "--offline", "--quiet"]), ("cargo clippy", "lints", ["cargo", "clippy", "--offline", "--quiet"]),
                  ("cargo fmt", "format", ["cargo", "fmt", "--check"])]
    if any(path.endswith(".py") for path in files()):
        tests = any(is_test(path) and path.endswith(".py") for path in files())
        if tests or has("pytest.ini") or has("tox.ini"):
            found.append(("pytest", "tests", [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]))
        found.append(("python syntax", "lints", [sys.executable, "-c", SYNTAX]))
        for tool, args in (("ruff", ["check", "--no-cache", "."]), ("flake8", ["."])):
            if shutil.which(tool):
                found.append((tool, "lints", [tool, *args]))
    if has("package.json"):
        try:
            scripts = json.loads(text_of("package.json") or "{}").get("scripts", {})
        except (ValueError, AttributeError):
            scripts = {}
        # What `npm init` writes is no test.
        found += [(f"npm run {name}", kind, ["npm", "run", "--silent", name]) for name, kind in (("test", "tests"), ("lint", "lints"))
                  if name in scripts and "no test specified" not in str(scripts[name])]
    if has("go.mod"):
        found += [("go test", "tests", ["go", "test", "-v", "./..."]), ("go vet", "lints", ["go", "vet", "./..."])]
    return found


SYNTAX = "import ast, pathlib\nbad = []\nfor p in pathlib.Path('.').rglob('*.py'):\n    try:\n        ast.parse(p.read_bytes())\n    except (SyntaxError, ValueError) as e:\n        bad.append(f'{p}: {e}')\nprint(*bad, sep='\\n')\nraise SystemExit(bool(bad))"


def run(command, root, env):
    began = time.time()
    try:
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        return {"status": "not_run", "why": f"{command[0]} is not installed"}
    except subprocess.TimeoutExpired:
        return {"status": "not_run", "why": f"it did not end within {SECONDS} s"}
    except OSError as error:
        return {"status": "not_run", "why": str(error)}
    said = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
    result = {"exit_code": done.returncode, "seconds": round(time.time() - began, 1), **counts(said)}
    if done.returncode == 0:
        return {"status": "passed", **result}
    if done.returncode == 5 and "pytest" in command:
        return {"status": "not_run", "why": "pytest found no tests"}
    if done.returncode == 127:
        return {"status": "not_run", "why": f"a program that it needs is not installed: {said.strip().splitlines()[-1][:160] if said.strip() else command[0]}"}
    reason = next((line.strip() for line in said.splitlines() if OFFLINE.search(line)), None)
    if reason and not result.get("failed"):
        return {"status": "not_run", "why": f"it cannot run offline and confined: {reason[:160]}"}
    return {"status": "failed", "last_lines": [line[:200] for line in said.strip().splitlines()[-8:]], **result}


# How the tools say how many tests passed and failed, the most exact first: cargo; jest and vitest, whose line of suites is not
# counted; pytest and mocha; node's own runner; single lines of TAP; single lines of `go test -v`.
COUNTS = [
    (r"(\d+) passed; \d+ failed", r"\d+ passed; (\d+) failed"),
    (r"(?m)^\s*Tests:?\s.*?\b(\d+) passed", r"(?m)^\s*Tests:?\s.*?\b(\d+) failed"),
    (r"\b(\d+) (?:passed|passing)\b", r"\b(\d+) (?:failed|failing)\b"),
    (r"(?m)^(?:#|ℹ) pass (\d+)$", r"(?m)^(?:#|ℹ) fail (\d+)$"),
    (r"(?m)^()ok \d+", r"(?m)^()not ok \d+"),
    (r"(?m)^\s*()--- PASS: ", r"(?m)^\s*()--- FAIL: "),
]


def counts(said):
    """How many tests passed and failed, as the tools say it."""
    for patterns in COUNTS:
        passed, failed = (sum(int(n or 1) for n in re.findall(pattern, said)) for pattern in patterns)
        if passed or failed:
            return {"passed": passed, "failed": failed}
    return {}


def checks():
    paths = files()
    size = sum(os.path.getsize(path) for path in paths)
    names = wanted(".")
    if not names:
        return []
    if size > MOST_BYTES:
        return [{"name": name, "kind": kind, "status": "not_run", "why": f"the tree has {size // 1_000_000} MB, too much to copy"} for name, kind, _ in names]
    scratch = os.environ.get("TMPDIR", "/tmp")
    root = os.path.join(scratch, "copy")
    for path in paths:
        os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
        shutil.copyfile(path, os.path.join(root, path))
        # Scripts that tests start stay programs; where modes cannot be set, they are started by their interpreters or not at all.
        if os.access(path, os.X_OK):
            try:
                shutil.copymode(path, os.path.join(root, path))
            except OSError:
                pass
    if os.path.isdir("node_modules") and not os.path.exists(os.path.join(root, "node_modules")):
        os.symlink(os.path.abspath("node_modules"), os.path.join(root, "node_modules"))
    env = environment(scratch)
    return [{"name": name, "kind": kind, "command": " ".join(command[:5]) if command[1:2] != ["-c"] else name, **run(command, root, env)} for name, kind, command in names]
