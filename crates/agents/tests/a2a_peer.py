"""An A2A agent for the tests: what it does is the first word of what it is told.

Usage: a2a_peer.py LOG [--plain] [--key VALUE]
It writes one JSON object per line to LOG for everything that reaches it, and prints its port when it is ready.
"""

import argparse
import asyncio
import json
import os
import socket

import uvicorn
from a2a.helpers import get_data_parts, new_data_part, new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse

parser = argparse.ArgumentParser()
parser.add_argument("log")
parser.add_argument("--plain", action="store_true", help="without streaming")
parser.add_argument("--key", help="what the header x-access must hold")
options = parser.parse_args()


def log(**entry):
    with open(options.log, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


class Peer(AgentExecutor):
    async def execute(self, context, queue):
        message = context.message
        text = context.get_user_input()
        log(what="message", id=message.message_id, context=context.context_id, task=context.task_id, text=text,
            data=get_data_parts(message.parts))
        words = text.split()
        if context.current_task is None:
            if words[0] == "message":
                await queue.enqueue_event(new_text_message("no task, just words"))
                return
            task = new_task_from_user_message(message)
            task.id, task.context_id = context.task_id, context.context_id
            await queue.enqueue_event(task)
        updater = TaskUpdater(queue, context.task_id, context.context_id)
        if context.current_task is not None:
            await self.go_on(updater, text)
        else:
            await getattr(self, words[0])(updater, message)

    async def cancel(self, context, queue):
        log(what="cancel", task=context.task_id)
        await TaskUpdater(queue, context.task_id, context.context_id).cancel()

    def said(self, updater, text):
        return updater.new_agent_message([new_text_part(text)])

    async def echo(self, updater, message):
        data = get_data_parts(message.parts)
        await updater.add_artifact([new_data_part({"received": data[0] if data else None, "count": 3})], name="data")
        await updater.add_artifact([new_text_part("You said: echo")], name="words")
        await updater.complete()

    async def slow(self, updater, message):
        for number in range(1, 9):
            await updater.start_work(self.said(updater, f"step {number} of 8"))
            await asyncio.sleep(0.05)
        for number, piece in enumerate(["one ", "two ", "three"]):
            await updater.add_artifact([new_text_part(piece)], artifact_id="a", name="report", append=number > 0,
                                       last_chunk=number == 2)
        await updater.complete()

    async def ask(self, updater, message):
        await updater.start_work()
        await updater.requires_input(self.said(updater, "Which colour?"))

    async def go_on(self, updater, text):
        await updater.start_work()
        if text == "twice":
            await updater.requires_input(self.said(updater, "And which size?"))
            return
        await updater.add_artifact([new_text_part(f"painted {text}")], name="result")
        await updater.complete()

    async def fail(self, updater, message):
        await updater.failed(self.said(updater, "the printer is on fire"))

    async def reject(self, updater, message):
        await updater.reject(self.said(updater, "not my department"))

    async def tell(self, updater, message):
        """Says its access key, which it should not."""
        await updater.start_work(self.said(updater, f"the key is {options.key}"))
        await updater.add_artifact([new_text_part(f"Bearer {options.key}")], name="result")
        await updater.complete()

    async def auth(self, updater, message):
        await updater.requires_auth(self.said(updater, "sign in first"))

    async def hang(self, updater, message):
        await updater.start_work(self.said(updater, "thinking"))
        log(what="hanging", task=updater.task_id)
        await asyncio.sleep(600)

    async def wait(self, updater, message):
        """Works until the file beside the log is there."""
        await updater.start_work()
        while not os.path.exists(options.log + ".go"):
            await asyncio.sleep(0.05)
        await updater.add_artifact([new_text_part("waited")], name="result")
        await updater.complete()

    async def die(self, updater, message):
        await updater.start_work()
        await asyncio.sleep(0.3)
        os._exit(3)

    async def big(self, updater, message):
        for number in range(30):
            await updater.add_artifact([new_text_part("x" * 100_000)], artifact_id="a", append=number > 0)
        await updater.complete()


def skill(name, description, **more):
    return AgentSkill(id=name, name=name.title(), description=description, **more)


def card(port):
    return AgentCard(
        name="Test peer",
        description="An agent for tests.",
        version="1.0.0",
        supported_interfaces=[AgentInterface(url=f"http://127.0.0.1:{port}/rpc", protocol_binding="JSONRPC",
                                             protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=not options.plain),
        default_input_modes=["text/plain", "application/json"],
        default_output_modes=["text/plain", "application/json"],
        skills=[skill("echo", "Says what it was told.", tags=["repeat", "echo"], examples=["echo hello"]),
                skill("slow", "Works for a while.", tags=["report"])],
    )


class Door:
    """Looks at every request before the agent does."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            if options.key and headers.get("x-access") != options.key:
                shown = headers.get("x-access", "")
                await PlainTextResponse(f"who are you? {shown} is not known", 401)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    agent_card = card(port)
    handler = DefaultRequestHandler(agent_executor=Peer(), task_store=InMemoryTaskStore(), agent_card=agent_card)
    routes = create_agent_card_routes(agent_card) + create_jsonrpc_routes(handler, "/rpc")
    server = uvicorn.Server(uvicorn.Config(Door(Starlette(routes=routes)), log_level="warning"))
    listener.listen(64)
    print(port, flush=True)
    asyncio.run(server.serve(sockets=[listener]))


main()
