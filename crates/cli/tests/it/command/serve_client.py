"""A client from the official Python SDK, against `candor serve --mcp`.

Arguments: the binary, a folder to work in. Prints one JSON object with what it saw; whatever is not as it should be
ends it with an exception. The SDK checks every structured result against the tool's output schema.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PARIS = "Plan a 3-day trip to Paris in May with a $2000 budget"


def plain(model):
    """The wire's own names, whatever the SDK calls them."""
    return model.model_dump(mode="json", by_alias=True)


async def call(session, tool, **arguments):
    result = plain(await session.call_tool(tool, arguments))
    result["text"] = result["content"][0]["text"]
    return result


async def good(session, tool, **arguments):
    result = await call(session, tool, **arguments)
    assert not result["isError"], result["text"]
    return result["structuredContent"]


async def talk(session):
    seen = {"initialized": plain(await session.initialize())}
    seen["tools"] = [tool["name"] for tool in plain(await session.list_tools())["tools"]]
    seen["plan"] = await good(session, "plan", goal=PARIS)

    waiting = await good(session, "run", goal=PARIS, unattended=False)
    seen["waiting"] = waiting
    run, digest = waiting["run_id"], waiting["questions"][0]["digest"]
    seen["refused"] = await call(session, "approve", run_id=run, decision="approve", digest="wrong")
    seen["approved"] = await good(session, "approve", run_id=run, decision="approve", digest=digest)
    seen["status"] = await good(session, "status", run_id=run)

    other = await good(session, "run", goal=PARIS)
    seen["cancelled"] = await good(session, "cancel", run_id=other["run_id"], reason="no")
    seen["runs"] = await good(session, "status")

    left = await good(session, "run", goal=PARIS)
    seen["left"] = left["run_id"]
    return seen


async def main(binary, folder):
    server = StdioServerParameters(command=binary, args=["serve", "--mcp", "--data", "data"], cwd=folder)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            seen = await talk(session)
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
