"""An A2A server (version 1.0, JSON-RPC over HTTP) on Python's own HTTP server."""

import hmac
import json
import threading
import traceback
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .task import CANCELED, COMPLETED, FAILED, TERMINAL, WORKING, Cancelled, Task, Turn, as_json

MAX_BODY = 10_000_000
# How many tasks that have ended are kept for those who look later.
MAX_KEPT = 1_000
# How often a stream on which nothing happens shows that it is alive, in seconds.
HEARTBEAT = 10


class RpcError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


NOT_FOUND, NOT_CANCELABLE, UNSUPPORTED, VERSION = -32001, -32002, -32004, -32009


class Server:
    """Serves one target."""

    def __init__(self, target, host, port, *, name=None, description=None, skills=None, token=None, url=None,
                 version="1.0.0", max_running=8):
        self.target = target
        self.name = name or target.name
        self.description = description or target.description or f"The agent {self.name}"
        self.skills = skills
        self.token = token
        self.version = version
        self.tasks = OrderedDict()
        self.by_message = {}
        self.lock = threading.Lock()
        self.slots = threading.Semaphore(max_running)
        self.http = ThreadingHTTPServer((host, port), self._handler())
        self.http.daemon_threads = True
        self.url = url or f"http://{host}:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)

    def start(self):
        self.thread.start()

    def wait(self):
        self.thread.join()

    def close(self):
        for task in list(self.tasks.values()):
            task.cancel()
        self.http.shutdown()
        self.http.server_close()

    def card(self):
        skill = {"id": _slug(self.name), "name": self.name, "description": self.description, "tags": []}
        return {
            "name": self.name, "description": self.description, "version": self.version,
            "supportedInterfaces": [{"url": self.url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
            "capabilities": {"streaming": True, "pushNotifications": False},
            "defaultInputModes": ["text/plain", "application/json"],
            "defaultOutputModes": ["text/plain", "application/json"],
            "skills": self.skills or [skill],
        }

    # The protocol's methods.

    def send(self, params):
        """Takes a message: a new task, or the answer to a question. A message that came before is not taken twice.

        Returns the task, and what it is and how much was told of it before anything follows from the message.
        """
        message = params.get("message")
        if not isinstance(message, dict) or not message.get("messageId") or not message.get("parts"):
            raise RpcError(-32602, "params.message needs messageId and parts")
        text = "\n".join(part["text"] for part in message["parts"] if isinstance(part.get("text"), str))
        data = next((part["data"] for part in message["parts"] if isinstance(part.get("data"), dict)), {})
        with self.lock:
            known = self.by_message.get(message["messageId"])
            if known:
                return known, known.seen()
            task = self._find(message["taskId"]) if message.get("taskId") else None
            if task is None:
                task = Task(message, message.get("contextId"))
                self._keep(task)
                start = True
            else:
                start, seen = False, task.answer(message, text)
            if not start and seen is None:
                raise RpcError(UNSUPPORTED, f"the task is {task.status['state']} and takes no message")
            self.by_message[message["messageId"]] = task
            seen = task.seen() if start else seen
        if start:
            threading.Thread(target=self._work, args=(task, text, data), daemon=True).start()
        return task, seen

    def cancel(self, params):
        task = self._find(params.get("id"))
        if not task.cancel() and task.status["state"] != CANCELED:
            raise RpcError(NOT_CANCELABLE, f"the task is {task.status['state']}")
        return task

    def list(self, params):
        context = params.get("contextId")
        tasks = [task for task in self.tasks.values() if context in (None, "", task.context_id)]
        shown = [task.shown(params.get("historyLength", 0)) for task in tasks]
        return {"tasks": shown, "nextPageToken": "", "pageSize": len(shown), "totalSize": len(shown)}

    def _find(self, task_id):
        task = self.tasks.get(task_id)
        if task is None:
            raise RpcError(NOT_FOUND, "there is no such task")
        return task

    def _keep(self, task):
        self.tasks[task.id] = task
        ended = [it for it in self.tasks.values() if it.status["state"] in TERMINAL]
        for old in ended[:max(0, len(ended) - MAX_KEPT)]:
            del self.tasks[old.id]
            self.by_message = {key: it for key, it in self.by_message.items() if it is not old}

    def _work(self, task, text, data):
        with self.slots:
            turn = Turn(task, text, data, self.slots)
            try:
                with turn:
                    task.set(WORKING)
                    turn.check()
                    result = self.target.run(turn)
                    turn.check()
                _deliver(task, result)
                task.set(COMPLETED)
            except Cancelled:
                task.cancel()
            except BaseException as error:  # what a target raises is what the sender is told
                traceback.print_exc()
                task.set(FAILED, f"{type(error).__name__}: {error}")

    def _handler(server):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                if self.path.split("?")[0] == "/.well-known/agent-card.json":
                    return self._json(200, server.card())
                self._json(404, {"error": "the card is at /.well-known/agent-card.json"})

            def do_POST(self):
                length = int(self.headers.get("content-length") or 0)
                if length > MAX_BODY:
                    return self._json(413, {"error": f"at most {MAX_BODY} bytes"})
                body = self.rfile.read(length)
                if not self._allowed():
                    return self._json(401, {"error": "expected `Authorization: Bearer` with this server's token"})
                request = {}
                try:
                    try:
                        request = json.loads(body)
                    except ValueError as error:
                        raise RpcError(-32700, f"not JSON: {error}") from None
                    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
                        raise RpcError(-32600, "expected one JSON-RPC request")
                    version = self.headers.get("a2a-version") or "1.0"
                    if version.split(".")[0] != "1":
                        raise RpcError(VERSION, f"A2A {version} is not spoken here; 1.0 is")
                    self._call(request, request.get("params") or {})
                except RpcError as error:
                    shown = request.get("id") if isinstance(request, dict) else None
                    self._json(200, {"jsonrpc": "2.0", "id": shown,
                                     "error": {"code": error.code, "message": str(error)}})

            def _allowed(self):
                given = (self.headers.get("authorization") or "").encode()
                return not server.token or hmac.compare_digest(given, f"Bearer {server.token}".encode())

            def _call(self, request, params):
                method, given = request["method"], params.get("configuration") or {}
                if method == "SendMessage":
                    task, _ = server.send(params)
                    if not given.get("returnImmediately"):
                        with task.changed:
                            task.changed.wait_for(lambda: task.settled)
                    self._result(request, {"task": task.shown(given.get("historyLength"))})
                elif method == "SendStreamingMessage":
                    self._stream(request, *server.send(params))
                elif method == "SubscribeToTask":
                    task = server._find(params.get("id"))
                    if task.status["state"] in TERMINAL:
                        raise RpcError(UNSUPPORTED, f"the task is {task.status['state']}")
                    self._stream(request, task, task.seen())
                elif method == "GetTask":
                    self._result(request, server._find(params.get("id")).shown(params.get("historyLength")))
                elif method == "CancelTask":
                    self._result(request, server.cancel(params).shown())
                elif method == "ListTasks":
                    self._result(request, server.list(params))
                else:
                    raise RpcError(-32601, f"there is no method {method}")

            def _result(self, request, result):
                self._json(200, {"jsonrpc": "2.0", "id": request.get("id"), "result": result})

            def _json(self, status, value):
                body = as_json(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self._write(body)

            def _stream(self, request, task, seen):
                """The task as it was seen, and then every change, until nothing more comes by itself."""
                first, position, settled = seen
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("cache-control", "no-store")
                self.send_header("connection", "close")
                self.end_headers()
                self.close_connection = True
                going = self._event(request, {"task": first}) and not settled
                while going:
                    events = task.follow(position, HEARTBEAT)
                    if not events:
                        going = self._write(b": still at work\n\n")
                    for event in events:
                        position += 1
                        state = event.get("statusUpdate", {}).get("status", {}).get("state")
                        going = self._event(request, event)
                        if not going or state in TERMINAL or state == "TASK_STATE_INPUT_REQUIRED":
                            return

            def _event(self, request, result):
                line = as_json({"jsonrpc": "2.0", "id": request.get("id"), "result": result})
                return self._write(f"data: {line}\n\n".encode())

            def _write(self, data):
                try:
                    self.wfile.write(data)
                    self.wfile.flush()
                    return True
                except OSError:
                    return False

        return Handler


def _deliver(task, result):
    """What a target gives, as an artifact: an object is data, everything else is text."""
    if result is None:
        return
    plain = json.loads(as_json(result))
    if isinstance(plain, dict):
        text = plain.pop("text", None)
        if plain:
            task.add_artifact("result", [{"data": plain}])
        if text is not None:
            task.add_artifact("text", [{"text": text if isinstance(text, str) else as_json(text)}])
    else:
        task.add_artifact("text", [{"text": plain if isinstance(plain, str) else as_json(plain)}])


def _slug(name):
    return "".join(c if c.isalnum() else "_" for c in name.lower()).strip("_") or "agent"
