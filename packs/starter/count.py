"""A program of a pack: the order comes in on standard input as JSON, the answer goes out on standard output.

It reads the working folder, which it is started in, and may write to the folder in CANDOR_OUTPUT. What it prints on
standard error is for people who look for a cause.
"""

import json
import sys


def count(order):
    with open(order["inputs"]["file"], encoding="utf-8", errors="replace") as file:
        text = file.read()
    return {"words": len(text.split()), "lines": len(text.splitlines())}


def check(order):
    """The same again, character by character; what the task before put out is in `upstream`."""
    words, inside = 0, False
    with open(order["inputs"]["file"], encoding="utf-8", errors="replace") as file:
        for character in file.read():
            words += inside is False and not character.isspace()
            inside = not character.isspace()
    counted = next(outputs["words"] for outputs in order["upstream"].values() if "words" in outputs)
    return {"difference": abs(counted - words)}


order = json.load(sys.stdin)
try:
    print(json.dumps({"outputs": {"count": count, "check": check}[sys.argv[1]](order)}))
except OSError as problem:
    print(json.dumps({"error": {"kind": "task_error", "message": str(problem)}}))
