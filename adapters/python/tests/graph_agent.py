"""A LangGraph graph as an agent for Candor's own tests: python graph_agent.py. It prints its port when it is ready."""

import time
from typing import TypedDict

from candor_adapter import serve
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class Dye(TypedDict, total=False):
    """Dyes cloth."""

    request: str
    metres: int
    bath: str
    cloth: str


def mix(state):
    return {"bath": f"bath for {state['metres']} m"}


def dye(state):
    colour = interrupt(f"Which colour for {state['metres']} metres?")
    return {"cloth": f"{state['metres']} m of {colour} cloth"}


builder = StateGraph(Dye)
builder.add_sequence([("mix", mix), ("dye", dye)])
builder.add_edge(START, "mix")
builder.add_edge("dye", END)

server = serve(builder, name="dyer", port=0, block=False)
print(server.http.server_address[1], flush=True)
time.sleep(600)
