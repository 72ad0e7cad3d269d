"""A client from the official Python SDK, against `/mcp` of `candor serve`.

Arguments: the server's address, an admin token, a token of scope answer. Prints one JSON object with what it saw; whatever is
not as it should be ends it with an exception. The SDK checks every structured result against the tool's output schema.
"""

import asyncio
import json
import sys

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

PARIS = "Plan a 3-day trip to Paris in May with a $2000 budget"


def plain(model):
    return model.model_dump(mode="json", by_alias=True)


async def call(session, tool, **arguments):
    result = plain(await session.call_tool(tool, arguments))
    result["text"] = result["content"][0]["text"]
    return result


async def good(session, tool, **arguments):
    result = await call(session, tool, **arguments)
    assert not result["isError"], result["text"]
    return result["structuredContent"]


async def connected(url, token, talk):
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as client:
        async with streamable_http_client(url, http_client=client) as (read, write, *_):
            async with ClientSession(read, write) as session:
                initialized = plain(await session.initialize())
                return {"initialized": initialized, **await talk(session)}


async def as_admin(session):
    seen = {"tools": [tool["name"] for tool in plain(await session.list_tools())["tools"]]}
    seen["plan"] = await good(session, "plan", goal=PARIS)
    waiting = await good(session, "run", goal=PARIS, unattended=False)
    seen["waiting"] = waiting
    run, digest = waiting["run_id"], waiting["questions"][0]["digest"]
    seen["refused"] = await call(session, "approve", run_id=run, decision="approve", digest="wrong")
    progress = []

    async def heard(done, total, message):
        progress.append(done)

    arguments = {"run_id": run, "decision": "approve", "digest": digest}
    result = plain(await session.call_tool("approve", arguments, progress_callback=heard))
    assert not result["isError"], result
    seen["approved"], seen["progress"] = result["structuredContent"], progress
    seen["status"] = await good(session, "status", run_id=run)
    seen["left"] = (await good(session, "run", goal=PARIS, unattended=False))["run_id"]
    return seen


def as_answerer(run):
    async def talk(session):
        seen = {"tools": [tool["name"] for tool in plain(await session.list_tools())["tools"]]}
        seen["run"] = await call(session, "run", goal=PARIS)
        asked = await good(session, "status", run_id=run)
        digest = asked["questions"][0]["digest"]
        seen["rejected"] = await good(session, "approve", run_id=run, decision="reject", digest=digest)
        return seen

    return talk


async def main(url, admin, answerer):
    seen = {"admin": await connected(url, admin, as_admin)}
    seen["answerer"] = await connected(url, answerer, as_answerer(seen["admin"]["left"]))
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
