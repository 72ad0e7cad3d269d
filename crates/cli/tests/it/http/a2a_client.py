"""A client from the official Python SDK, against the A2A side of `candor serve`.

Arguments: the server's address, an admin token. Prints one JSON object with what it saw.
"""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
)
from google.protobuf import json_format

PARIS = "Plan a 3-day trip to Paris in May with a $2000 budget"


def plain(message):
    return json_format.MessageToDict(message)


def request(text, task=None, context=None, message_id=None):
    message = Message(message_id=message_id or str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)])
    if task:
        message.task_id = task
    if context:
        message.context_id = context
    return SendMessageRequest(message=message)


async def sent(client, *arguments, **named):
    return [plain(event) async for event in client.send_message(request(*arguments, **named))]


async def failing(awaitable):
    try:
        await awaitable
    except Exception as error:
        return {"kind": type(error).__name__, "text": str(error)}
    raise AssertionError("this should have been refused")


def questions(task):
    parts = task["status"]["message"]["parts"]
    return next(part["data"]["questions"] for part in parts if "data" in part)


async def main(url, token):
    seen = {}
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        seen["card"] = plain(card)
        streaming = ClientFactory(ClientConfig(httpx_client=http, streaming=True)).create(card)
        waiting = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)

        # Sent and waited for: the plan is asked about.
        asked = (await sent(waiting, PARIS, context="talk-1"))[-1]["task"]
        seen["asked"] = asked
        question = questions(asked)[0]
        seen["unclear"] = await failing(sent(waiting, "hm, maybe", task=asked["id"], context="talk-1"))
        seen["blind"] = await failing(sent(waiting, "approve", task=asked["id"], context="talk-1"))
        # Answered in words, and followed to the end.
        words = f"approve {question['digest']}"
        answer_id = str(uuid.uuid4())
        seen["events"] = await sent(streaming, words, task=asked["id"], context="talk-1", message_id=answer_id)
        done = plain(await waiting.get_task(GetTaskRequest(id=asked["id"])))
        seen["done"] = done
        seen["history"] = [message["messageId"] == answer_id for message in done["history"]]
        seen["again"] = await failing(sent(waiting, "approve", task=asked["id"], context="talk-1"))

        # The same message twice is one task.
        twice = str(uuid.uuid4())
        ids = [(await sent(waiting, PARIS, context="talk-1", message_id=twice))[-1]["task"]["id"] for _ in range(2)]
        seen["twice"] = ids
        seen["listed"] = [
            task["id"] for task in plain(await waiting.list_tasks(ListTasksRequest(context_id="talk-1")))["tasks"]
        ]
        seen["all"] = len(plain(await waiting.list_tasks(ListTasksRequest()))["tasks"])

        # Somebody listens while it is cancelled.
        heard = []

        async def listen():
            async for event in streaming.subscribe(SubscribeToTaskRequest(id=ids[0])):
                heard.append(plain(event))

        listening = asyncio.create_task(listen())
        while not heard:
            await asyncio.sleep(0.05)
        seen["cancelled"] = plain(await waiting.cancel_task(CancelTaskRequest(id=ids[0])))
        await asyncio.wait_for(listening, 30)
        seen["heard"] = heard
        seen["over"] = await failing(waiting.cancel_task(CancelTaskRequest(id=asked["id"])))
        seen["unknown"] = await failing(waiting.get_task(GetTaskRequest(id="run_none")))
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
