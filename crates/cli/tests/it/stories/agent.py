"""An agent that does what its script says, and notes what it was given.

`agent.py NAME` is a command, `agent.py NAME --serve` a service (it prints its port), `agent.py NAME --mcp` a server of
one tool `work`. `NAME.json` maps the start of a task's id (or "*") to a list of steps, one per call; the last one repeats.
"""
import json, os, signal, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = sys.argv[1]
HOME = os.path.dirname(os.path.abspath(__file__))


def steps_for(task):
    script = json.load(open(os.path.join(HOME, NAME + ".json")))
    keys = [key for key in script if task.startswith(key)]
    key = max(keys, key=len) if keys else "*"
    return key, script.get(key, ["ok"])


def next_step(order):
    """Notes the order, and gives the step for it."""
    key, steps = steps_for(order.get("task_id", ""))
    path = os.path.join(HOME, "received.jsonl")
    before = [json.loads(line) for line in open(path)] if os.path.exists(path) else []
    calls = sum(1 for call in before if call["agent"] == NAME and call["key"] == key)
    with open(path, "a") as notes:
        notes.write(json.dumps({"agent": NAME, "key": key, "order": order}) + "\n")
    return steps[min(calls, len(steps) - 1)]


def good(order):
    return {"outputs": {name: f"{name} by {NAME}" for name in order.get("expected_outputs") or ["result"]}}


def as_command(order):
    step = next_step(order)
    if isinstance(step, dict):
        for path, text in step.pop("write", {}).items():
            open(path, "w").write(text)
        print(json.dumps(step))
    elif step == "ok":
        print(json.dumps(good(order)))
    elif step == "hang":
        time.sleep(60)
    elif step == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif step == "garbage":
        print("I have done it, trust me")
    else:
        _, code, message = step.split(" ", 2)
        print("connecting http timeout=30s", file=sys.stderr)
        print(message, file=sys.stderr)
        sys.exit(int(code))


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        step = next_step(order)
        if step == "hang":
            time.sleep(60)
        if step == "drop":
            return self.connection.close()
        status, headers, body = 200, {}, good(order) if step == "ok" else step
        if isinstance(step, str) and step.startswith("status"):
            words = step.split(" ")
            status, body = int(words[1]), {"error": {"message": "the service says " + words[1]}}
            headers = {"Retry-After": words[2]} if len(words) > 2 else {}
        text = "not json" if step == "garbage" else json.dumps(body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def as_mcp():
    tool = {"name": "work", "description": "Does the work", "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True}}
    for line in sys.stdin:
        call = json.loads(line)
        if "id" not in call:
            continue
        method, result = call["method"], {}
        if method == "initialize":
            version = call["params"]["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}},
                      "serverInfo": {"name": NAME, "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [tool]}
        elif method == "tools/call":
            given = call["params"].get("arguments", {})
            step = next_step({"task_id": given.get("task", ""), "inputs": given})
            if step == "die":
                os._exit(1)
            if step == "hang":
                time.sleep(60)
            failed = isinstance(step, str) and step.startswith("error ")
            text = step[6:] if failed else json.dumps({"rows": 3})
            result = {"content": [{"type": "text", "text": text}], "isError": failed}
        print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)


if "--serve" in sys.argv:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    print(server.server_port, flush=True)
    server.serve_forever()
elif "--mcp" in sys.argv:
    as_mcp()
else:
    as_command(json.load(sys.stdin))
