"""Finds what looks like a secret in files. A finding has its place and its kind, and never its value."""

import math
import re
from collections import Counter

from tree import is_test, text_of

KINDS = [
    ("private key", r"-----BEGIN (?:RSA |EC |DSA |OPENSSH |PGP |ENCRYPTED )?PRIVATE KEY(?: BLOCK)?-----"),
    ("AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})\b"),
    ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}\b"),
    ("Slack token", r"\bxox[abpros]-[A-Za-z0-9-]{10,}"),
    ("Google API key", r"\bAIza[0-9A-Za-z_-]{35}\b"),
    ("Stripe key", r"\b[sr]k_live_[0-9A-Za-z]{16,}\b"),
    ("OpenAI or Anthropic key", r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}\b"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{50,}\b"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("password in an address", r"\b[a-z][a-z0-9+.-]*://[^\s/:@'\"<>{}$]+:(?P<value>[^\s/:@'\"<>{}$]{6,})@[A-Za-z0-9.-]+"),
    ("assigned secret", r"(?i)\b[a-z0-9_.-]*(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key)\b[\"']?\s*(?:=|:|=>)\s*[\"'](?P<value>[^\"'\s]{8,})[\"']"),
]
PATTERNS = [(kind, re.compile(pattern)) for kind, pattern in KINDS]
PLACEHOLDER = re.compile(r"(?i)example|sample|dummy|changeme|placeholder|your[_-]|xxx|\*\*\*|<[^>]*>|\$\{|\{\{|process\.env|os\.environ|test|fake|redacted|todo|password|secret|1234")
MOST = 200
LONGEST_LINE = 2_000


def entropy(text):
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())


def in_line(line):
    """The kinds of secrets that a line seems to hold."""
    found = []
    for kind, pattern in PATTERNS:
        match = pattern.search(line[:LONGEST_LINE])
        if not match:
            continue
        value = match.groupdict().get("value")
        # What people write by hand is a password only if it looks like chance.
        if value is not None and (PLACEHOLDER.search(value) or entropy(value) < 3.0):
            continue
        if kind.startswith("AWS") and "EXAMPLE" in match.group():
            continue
        found.append(kind)
    return found


def scan(paths):
    found, scanned = [], 0
    for path in paths:
        text = text_of(path)
        if text is None:
            continue
        scanned += 1
        for n, line in enumerate(text.split("\n"), 1):
            for kind in in_line(line):
                found.append({"place": f"{path}:{n}", "kind": kind, "test": is_test(path)})
    return {"files_scanned": scanned, "found": found[:MOST], "count": len(found)}
