#!/usr/bin/env python3
"""Stand-ins for coding assistants: claude, codex, gemini and goose, as far as their documentation tells.

Started under the name of one of them (a link), it takes the options that this assistant documents and no others,
reads the prompt from stdin, keeps a session in $STANDIN_HOME/sessions, and prints the assistant's JSON lines.
What it does is said by the first word of the task in the prompt. Each start is a line of $STANDIN_HOME/calls.
"""

import argparse
import json
import os
import pathlib
import signal
import sys
import time
import uuid

HOME = pathlib.Path(os.environ["STANDIN_HOME"])
NAME = pathlib.Path(sys.argv[0]).name


def options():
    parser = argparse.ArgumentParser(prog=NAME, allow_abbrev=False)
    add = parser.add_argument
    add("--model")
    if NAME == "claude":
        add("-p", "--print", action="store_true", required=True)
        add("--output-format", choices=["stream-json"], required=True)
        add("--verbose", action="store_true", required=True)  # stream-json needs it
        add("--session-id", type=lambda text: str(uuid.UUID(text)))
        add("--resume")
        add("--permission-mode")
        add("--max-turns", type=int)
        given = parser.parse_args()
        return given, given.resume, given.session_id
    if NAME == "codex":
        words = sys.argv[1:]
        assert words.pop(0) == "exec", words
        add("--json", action="store_true", required=True)
        add("--skip-git-repo-check", action="store_true")
        add("--sandbox")
        add("rest", nargs="*")
        given = parser.parse_args(words)
        assert not given.rest or (given.rest[0] == "resume" and len(given.rest) == 2), given.rest
        return given, given.rest[1] if given.rest else None, None
    if NAME == "gemini":
        add("-p", "--prompt", required=True)
        add("--output-format", choices=["stream-json"], required=True)
        add("--approval-mode")
        add("--resume")
        given = parser.parse_args()
        return given, given.resume, None
    words = sys.argv[1:]
    assert NAME == "goose" and words.pop(0) == "run", words
    add("-i", "--instructions", choices=["-"], required=True)
    add("--output-format", choices=["stream-json"], required=True)
    add("--name", required=True)
    add("--resume", action="store_true")
    given = parser.parse_args(words)
    return given, given.name if given.resume else None, given.name


def out(**line):
    print(json.dumps(line), flush=True)


def stop(code, words):
    print(words, file=sys.stderr, flush=True)
    sys.exit(code)


def begin(session):
    if NAME == "claude":
        out(type="system", subtype="init", session_id=session, model="m", tools=["Edit"])
    elif NAME == "codex":
        out(type="thread.started", thread_id=session)
        out(type="turn.started")
    elif NAME == "gemini":
        out(type="init", session_id=session, model="m")


def use_tool():
    if NAME == "claude":
        content = [{"type": "text", "text": "Let me look."}, {"type": "tool_use", "name": "Edit", "input": {}}]
        out(type="assistant", message={"role": "assistant", "content": content}, session_id="x")
    elif NAME == "codex":
        out(type="item.completed", item={"id": "1", "type": "command_execution", "command": "ls"})
    elif NAME == "gemini":
        out(type="message", role="assistant", content="Let me look.", delta=True)
        out(type="tool_use", tool_name="edit", tool_id="1", parameters={})
        out(type="tool_result", tool_id="1", status="success")
    else:
        request = {"type": "toolRequest", "id": "1", "toolCall": {"status": "success", "value": {"name": "edit"}}}
        out(type="message", message={"id": "m1", "role": "assistant", "content": [request]})


def answer(session, text):
    if NAME == "claude":
        usage = {"input_tokens": 100, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 3, "output_tokens": 4}
        out(type="assistant", message={"role": "assistant", "content": [{"type": "text", "text": text}]})
        out(type="result", subtype="success", is_error=False, result=text, session_id=session, num_turns=2,
            total_cost_usd=0.25, usage=usage)
    elif NAME == "codex":
        out(type="item.completed", item={"id": "2", "type": "agent_message", "text": text})
        out(type="turn.completed", usage={"input_tokens": 120, "cached_input_tokens": 20, "output_tokens": 7})
    elif NAME == "gemini":
        for piece in (text[:3], text[3:]):
            out(type="message", role="assistant", content=piece, delta=True)
        out(type="result", status="success", stats={"input_tokens": 120, "cached": 20, "output_tokens": 7})
    else:
        for piece in (text[:3], text[3:]):
            content = [{"type": "text", "text": piece}]
            out(type="message", message={"id": "m2", "role": "assistant", "content": content})
        out(type="complete", total_tokens=127)
    sys.exit(0)


def fail(session, word, status):
    """A model's service that refuses, as each assistant tells it."""
    if NAME == "claude":
        text = f"API Error: {status} refused"
        out(type="assistant", error=word, message={"role": "assistant", "content": [{"type": "text", "text": text}]})
        out(type="result", subtype="success", is_error=True, result=text, session_id=session, total_cost_usd=0.05)
    elif NAME == "codex":
        out(type="error", message="reconnecting")
        out(type="turn.failed", error={"message": f"exceeded retry limit, last status: {status} Refused"})
    elif NAME == "gemini":
        if status == 401:
            stop(41, "Please set an Auth method")
        out(type="result", status="error", error={"type": "Error", "message": f"got status: {status}. refused"})
    else:
        out(type="error", error=f"Request failed with status {status}: refused")
    sys.exit(1)


def limit(session):
    if NAME == "claude":
        out(type="result", subtype="error_max_turns", is_error=True, session_id=session, total_cost_usd=0.5)
        sys.exit(1)
    stop(53 if NAME == "gemini" else 1, "Reached max session turns")


def main():
    given, resumed, session = options()
    prompt = sys.stdin.read()
    sessions = HOME / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    known = resumed is not None and (sessions / resumed).exists()
    call = {"program": NAME, "argv": sys.argv[1:], "prompt": prompt, "mode": os.environ.get("GOOSE_MODE")}
    with open(HOME / "calls", "a", encoding="utf-8") as file:
        file.write(json.dumps(call) + "\n")
    if resumed is not None and not known:
        stop(1, f"No conversation found with session ID: {resumed}")
    if session is not None and resumed is None and (sessions / session).exists():
        stop(1, f"Error: Session ID {session} is already in use.")
    session = resumed or session or str(uuid.uuid4())
    with open(sessions / session, "a", encoding="utf-8") as file:
        file.write("start\n")
    task = prompt.split("# Task\n", 1)[1].split("\n\n# ", 1)[0]
    word, _, rest = task.partition(" ")
    before = (sessions / session).read_text().count("start")
    if word == "auth" and NAME == "gemini":
        fail(session, "", 401)
    begin(session)
    use_tool()
    if word == "wait" and before == 1:
        (HOME / "waiting").write_text(session)
        time.sleep(600)
    elif word == "limited" and (before == 1 or rest != "once"):
        fail(session, "rate_limit", 429)
    elif word == "auth":
        fail(session, "authentication_failed", 401)
    elif word == "down":
        fail(session, "server_error", 503)
    elif word == "turns":
        limit(session)
    elif word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif word == "silent":
        sys.exit(0)
    elif word == "crash":
        stop(7, "Traceback: it broke")
    elif word == "json":
        answer(session, 'Here it is.\n```json\n{"title": "T", "body": [1, 2]}\n```')
    answer(session, f"did {rest} at start {before}")


main()
