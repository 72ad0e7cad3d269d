"""A task of the A2A protocol: its state, what was said, what came of it, and who listens."""

import contextvars
import threading
import uuid
from datetime import datetime, timezone

SUBMITTED = "TASK_STATE_SUBMITTED"
WORKING = "TASK_STATE_WORKING"
COMPLETED = "TASK_STATE_COMPLETED"
FAILED = "TASK_STATE_FAILED"
CANCELED = "TASK_STATE_CANCELED"
INPUT_REQUIRED = "TASK_STATE_INPUT_REQUIRED"
TERMINAL = {COMPLETED, FAILED, CANCELED, "TASK_STATE_REJECTED"}

_current = contextvars.ContextVar("candor_adapter_turn")


class Cancelled(Exception):
    """Somebody does not want the task any more."""


class Task:
    """One task. Everything that changes it is told to those who listen, in order."""

    def __init__(self, message, context_id=None):
        self.id = str(uuid.uuid4())
        self.context_id = context_id or str(uuid.uuid4())
        self.history = [message]
        self.artifacts = []
        self.status = None
        self.events = []
        self.changed = threading.Condition()
        self.cancelled = threading.Event()
        self.on_cancel = []
        self._reply = None
        self.set(SUBMITTED)

    @property
    def settled(self):
        """Whether nothing more comes before somebody does something."""
        return self.status["state"] in TERMINAL or self.status["state"] == INPUT_REQUIRED

    def set(self, state, text=None):
        """Sets the state. A task that has ended stays as it is; says whether the state was set."""
        with self.changed:
            if self.status and self.status["state"] in TERMINAL:
                return False
            self.status = {"state": state, "timestamp": _now()}
            if text:
                said = {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "parts": [{"text": str(text)}]}
                self.status["message"] = {**said, "taskId": self.id, "contextId": self.context_id}
            self._tell({"statusUpdate": {"taskId": self.id, "contextId": self.context_id, "status": self.status}})
            return True

    def add_artifact(self, name, parts):
        with self.changed:
            artifact = {"artifactId": str(uuid.uuid4()), "name": name, "parts": parts}
            self.artifacts.append(artifact)
            update = {"taskId": self.id, "contextId": self.context_id, "artifact": artifact, "lastChunk": True}
            self._tell({"artifactUpdate": update})

    def ask(self, question):
        """Asks whoever sent the task, and waits for the answer."""
        with self.changed:
            self._reply = None
            self.set(INPUT_REQUIRED, question)
            self.changed.wait_for(lambda: self._reply is not None or self.cancelled.is_set())
            if self.cancelled.is_set():
                raise Cancelled
            return self._reply

    def answer(self, message, text):
        """Takes an answer, and says how the task was seen then; nothing if no answer was waited for."""
        with self.changed:
            if self.status["state"] != INPUT_REQUIRED:
                return None
            self.history.append(message)
            self._reply = text
            self.set(WORKING)
            return self.seen()

    def seen(self):
        """The task as it is now, how many events there were, and whether it is settled."""
        with self.changed:
            return self.shown(0), len(self.events), self.settled

    def cancel(self):
        """Says whether it was still to be canceled."""
        with self.changed:
            if self.status["state"] in TERMINAL:
                return False
            self.cancelled.set()
            self.set(CANCELED)
            callbacks = list(self.on_cancel)
        for callback in callbacks:
            callback()
        return True

    def shown(self, history_length=None):
        """The task as the protocol shows it."""
        with self.changed:
            history = self.history if history_length is None else self.history[len(self.history) - history_length:]
            task = {"id": self.id, "contextId": self.context_id, "status": self.status}
            return {**task, "artifacts": list(self.artifacts), "history": list(history) if history_length != 0 else []}

    def follow(self, position, patience):
        """The events behind `position`, or none when nothing came for so many seconds."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.events) > position, timeout=patience)
            return self.events[position:]

    def _tell(self, event):
        self.events.append(event)
        self.changed.notify_all()


class Turn:
    """What a target is given: the task in words and as data, and a line to whoever sent it."""

    def __init__(self, task, text, data, slots):
        self.task = task
        self.text = text
        self.data = data
        self._slots = slots

    @property
    def inputs(self):
        """The parameters of the task."""
        return self.data.get("inputs") or {}

    @property
    def prompt(self):
        """The task in words, with everything that belongs to it: for targets that take a text."""
        parts = [self.text]
        for key, title in (("inputs", "Inputs"), ("upstream", "Results of earlier tasks"), ("context", "Context")):
            if self.data.get(key):
                parts.append(f"{title}:\n{as_json(self.data[key], indent=1)}")
        boundaries = (self.data.get("brief") or {}).get("boundaries")
        if boundaries:
            parts.append("Boundaries:\n" + "\n".join(boundaries))
        return "\n\n".join(parts)

    def progress(self, text):
        """Tells how far it is; raises `Cancelled` if nobody wants it any more."""
        self.check()
        self.task.set(WORKING, text)

    def ask(self, question):
        """Asks a person, and waits for the answer. Others may run meanwhile."""
        self.check()
        self._slots.release()
        try:
            return self.task.ask(question)
        finally:
            self._slots.acquire()

    def check(self):
        if self.task.cancelled.is_set():
            raise Cancelled

    def on_cancel(self, callback):
        """Has this called, from another thread, when the task is canceled."""
        with self.task.changed:
            self.task.on_cancel.append(callback)
        if self.task.cancelled.is_set():
            callback()

    def __enter__(self):
        self._token = _current.set(self)
        return self

    def __exit__(self, *_):
        _current.reset(self._token)


def ask(question):
    """Asks the person behind the current task: for tools and nodes of any framework. Returns the answer."""
    return _current.get().ask(question)


def progress(text):
    """Tells how far the current task is: for tools and nodes of any framework."""
    _current.get().progress(text)


def as_json(value, **options):
    import json

    return json.dumps(value, ensure_ascii=False, default=_plain, **options)


def _plain(value):
    """What JSON does not know, as something that it does."""
    for method in ("model_dump", "to_dict", "dict"):
        if callable(getattr(value, method, None)):
            try:
                return getattr(value, method)()
            except TypeError:
                pass
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


def _now():
    return datetime.now(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")
