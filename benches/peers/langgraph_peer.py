"""LangGraph on the shapes that Candor is measured on. Prints one JSON object.

    langgraph_peer.py crowd FOLDER RUNS sqlite|memory   runs of the Paris shape, all at once
    langgraph_peer.py chain FOLDER TASKS CHAINS,BETWEEN chains of no-op nodes, one after the other: one that
                                                        is not measured, CHAINS in a new file, BETWEEN that
                                                        are not measured, CHAINS in a file that was used

Nodes answer at once with a small dict. With "sqlite" every step is on disk before the run ends (LangGraph's
default, durability="async"); "memory" has no checkpointer at all. Chains use durability="sync".
"""

import asyncio
import json
import os
import sys
import time

# Nothing is to be sent anywhere while we measure.
os.environ["LANGSMITH_TRACING"] = "false"

from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph


def peak_bytes():
    """The most memory this process has had, or None where the system does not say."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return None


class Trip(TypedDict, total=False):
    flight: bool
    hotel: bool
    activities: bool
    budget: bool


def paris():
    """t1 and t3 side by side, t2 after t1, t4 after all."""

    async def t1(state):
        return {"flight": True}

    async def t2(state):
        return {"hotel": True}

    async def t3(state):
        return {"activities": True}

    async def t4(state):
        return {"budget": True}

    graph = StateGraph(Trip)
    for node in (t1, t2, t3, t4):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "t1")
    graph.add_edge(START, "t3")
    graph.add_edge("t1", "t2")
    graph.add_edge(["t1", "t2", "t3"], "t4")
    graph.add_edge("t4", END)
    return graph


async def all_at_once(graph, runs):
    async def one(n):
        state = await graph.ainvoke({}, {"configurable": {"thread_id": f"run_{n}"}})
        assert state == {"flight": True, "hotel": True, "activities": True, "budget": True}, state

    started = time.perf_counter()
    await asyncio.gather(*(one(n) for n in range(runs)))
    return time.perf_counter() - started


async def crowd(folder, runs, saver):
    if saver == "memory":
        seconds = await all_at_once(paris().compile(), runs)
    else:
        async with AsyncSqliteSaver.from_conn_string(os.path.join(folder, "crowd.db")) as checkpointer:
            await checkpointer.setup()
            seconds = await all_at_once(paris().compile(checkpointer=checkpointer), runs)
    return {"runs": runs, "seconds": seconds, "peak_bytes": peak_bytes()}


class Step(TypedDict, total=False):
    output: bool


def chain_of(tasks):
    def step(state):
        return {"output": True}

    graph = StateGraph(Step)
    names = [f"task_{n:03}" for n in range(1, tasks + 1)]
    for name in names:
        graph.add_node(name, step)
    for before, after in zip([START, *names], [*names, END]):
        graph.add_edge(before, after)
    return graph


def chain(folder, tasks, chains, between):
    with SqliteSaver.from_conn_string(os.path.join(folder, "chain.db")) as checkpointer:
        graph = chain_of(tasks).compile(checkpointer=checkpointer)

        def one(thread):
            config = {"configurable": {"thread_id": thread}, "recursion_limit": tasks + 10}
            started = time.perf_counter()
            state = graph.invoke({}, config, durability="sync")
            seconds = time.perf_counter() - started
            assert state == {"output": True}, state
            return seconds

        def several(name, count):
            return [one(f"{name}_{n}") for n in range(count)]

        several("warm_up", 1)
        new = several("new", chains)
        several("between", between)
        return {"new": new, "used": several("used", chains)}


def main(shape, folder, size, how):
    if shape == "crowd":
        result = asyncio.run(crowd(folder, int(size), how))
    else:
        chains, between = how.split(",")
        result = chain(folder, int(size), int(chains), int(between))
    print(json.dumps(result))


main(*sys.argv[1:])
