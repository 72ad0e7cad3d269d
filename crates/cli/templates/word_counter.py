"""An agent: reads one JSON object, prints one. It counts the words, lines and characters of a text file."""
import json
import sys

order = json.load(sys.stdin)
path = order["inputs"].get("file")
if not path:
    # What Candor is told of a failure: its kind, why, and which input is missing.
    print(json.dumps({"error": {"kind": "task_error", "message": "no file was named", "missing": ["file"]}}))
    sys.exit(0)
with open(path, encoding="utf-8") as file:
    text = file.read()
print(json.dumps({"outputs": {"words": len(text.split()), "lines": text.count("\n"), "characters": len(text)}}))
