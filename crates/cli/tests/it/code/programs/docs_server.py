"""A server of documentation that speaks MCP by hand: one tool, one sentence per library."""

import json
import sys

TOOL = {
    "name": "search_documentation",
    "description": "Searches the documentation of a library",
    "inputSchema": {
        "type": "object",
        "properties": {"library": {"type": "string"}, "query": {"type": "string"}},
        "required": ["library", "query"],
    },
    "annotations": {"readOnlyHint": True},
}


def answer(method, params):
    if method == "initialize":
        info = {"name": "docs", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "serverInfo": info, "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        asked = params["arguments"]
        text = f"From the server: how {asked['library']} does {asked['query']}"
        return {"content": [{"type": "text", "text": text}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request and "method" in request:
        result = answer(request["method"], request.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
