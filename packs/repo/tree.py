"""The files of a repository or of a plain folder, and what git says of its history. Everything here only reads."""

import os
import subprocess

SKIPPED = {".git", "target", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", ".tox", ".mypy_cache", "candor-output", "vendor"}
# Files that are larger are counted, and not read.
MOST_READ = 2 * 1024 * 1024

LANGUAGES = {
    "rs": "Rust", "py": "Python", "js": "JavaScript", "mjs": "JavaScript", "ts": "TypeScript", "tsx": "TypeScript", "jsx": "JavaScript",
    "go": "Go", "java": "Java", "kt": "Kotlin", "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "hpp": "C++", "cs": "C#", "rb": "Ruby",
    "php": "PHP", "swift": "Swift", "scala": "Scala", "sh": "Shell", "bash": "Shell", "sql": "SQL", "html": "HTML", "css": "CSS",
    "md": "Markdown", "rst": "reStructuredText", "toml": "TOML", "yml": "YAML", "yaml": "YAML", "json": "JSON", "lua": "Lua", "ex": "Elixir",
    "hs": "Haskell", "r": "R", "jl": "Julia", "dart": "Dart", "zig": "Zig", "proto": "Protobuf",
}
PROSE = {"Markdown", "reStructuredText", "TOML", "YAML", "JSON", "HTML"}


def git(*args):
    """What git prints, or nothing if it cannot tell."""
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1",
           "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    try:
        done = subprocess.run(["git", *args], capture_output=True, env=env, timeout=600)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def is_repository():
    # A repository above this folder is not ours to read.
    return os.path.exists(".git") and git("rev-parse", "--git-dir") is not None


def files():
    """The tracked files, or all but the usual products of builds; paths from here, sorted."""
    listed = git("ls-files", "-z") if is_repository() else None
    if listed:
        found = [name for name in listed.split("\0") if name and os.path.isfile(name) and not os.path.islink(name)]
        return sorted(found)
    found = []
    for folder, folders, names in os.walk("."):
        # A data directory of Candor's changes while this runs.
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not os.path.exists(os.path.join(folder, name, "candor.db")))
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ".")
            if os.path.isfile(path) and not os.path.islink(path):
                found.append(path)
    return sorted(found)


def text_of(path):
    """The text of a file; nothing if it is no text, or too large."""
    try:
        if os.path.getsize(path) > MOST_READ:
            return None
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    return None if b"\0" in content[:8192] else content.decode("utf-8", "replace")


def language_of(path):
    return LANGUAGES.get(path.rsplit(".", 1)[-1].lower()) if "." in os.path.basename(path) else None


def is_test(path):
    parts = path.lower().replace("\\", "/").split("/")
    name = parts[-1]
    inside = any(part in ("test", "tests", "testing", "__tests__", "spec", "fixtures", "examples", "example", "testdata", "benches") for part in parts[:-1])
    return inside or name.startswith("test_") or name.split(".")[0].endswith(("_test", "_spec", ".test", ".spec")) or ".test." in name or ".spec." in name
