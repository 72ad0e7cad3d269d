"""A small A2A client for the tests: what Candor sends, on the standard library."""

import json
import urllib.error
import urllib.request
import uuid


class Client:
    def __init__(self, url, token=None):
        self.url = url
        self.headers = {"content-type": "application/json", "a2a-version": "1.0"}
        if token:
            self.headers["authorization"] = f"Bearer {token}"

    def card(self):
        with urllib.request.urlopen(self.url + "/.well-known/agent-card.json", timeout=60) as response:
            return json.load(response)

    def open(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        return urllib.request.urlopen(urllib.request.Request(self.url, body, self.headers), timeout=60)

    def call(self, method, **params):
        with self.open(method, params) as response:
            answer = json.load(response)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    def error(self, method, **params):
        with self.open(method, params) as response:
            return json.load(response)["error"]

    def stream(self, method, **params):
        """The results of a stream, as they come."""
        with self.open(method, params) as response:
            for line in response:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])["result"]

    def message(self, text, data=None, task=None, message_id=None):
        parts = [{"text": text}] + ([{"data": data}] if data is not None else [])
        message = {"messageId": message_id or str(uuid.uuid4()), "role": "ROLE_USER", "parts": parts}
        return {**message, "taskId": task} if task else message

    def send(self, text, data=None, task=None, **options):
        return self.call("SendMessage", message=self.message(text, data, task), **options)["task"]


def state(task):
    return task["status"]["state"].removeprefix("TASK_STATE_")


def said(status):
    return "".join(part.get("text", "") for part in status.get("message", {}).get("parts", []))


def progress(events):
    """What was said while the task was at work."""
    updates = [event["statusUpdate"]["status"] for event in events if "statusUpdate" in event]
    return [said(status) for status in updates if status["state"] == "TASK_STATE_WORKING" and said(status)]


def outputs(task):
    """The outputs as Candor reads them."""
    found = {}
    for artifact in task["artifacts"]:
        for part in artifact["parts"]:
            found.update(part.get("data") or {"text": part["text"]})
    return found
