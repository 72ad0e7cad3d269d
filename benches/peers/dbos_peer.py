"""DBOS on the shape that Candor is measured on. Prints one JSON object.

    dbos_peer.py crowd FOLDER RUNS sqlite    runs of the Paris shape, all at once

Steps answer at once with a small dict; each is on disk before the workflow goes on, which is how DBOS works.
"""

import asyncio
import json
import sys
import time

from dbos import DBOS


def peak_bytes():
    """The most memory this process has had, or None where the system does not say."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return None


@DBOS.step()
async def flight():
    return {"flight": True}


@DBOS.step()
async def hotel():
    return {"hotel": True}


@DBOS.step()
async def activities():
    return {"activities": True}


@DBOS.step()
async def budget():
    return {"budget": True}


@DBOS.workflow()
async def trip():
    """Flight and activities side by side, the hotel after the flight, the budget after all."""

    async def journey():
        return {**await flight(), **await hotel()}

    first, second = await asyncio.gather(journey(), activities())
    return {**first, **second, **await budget()}


async def crowd(folder, runs):
    DBOS(config={"name": "peer", "system_database_url": f"sqlite:///{folder}/dbos.db", "run_admin_server": False,
                 "log_level": "ERROR"})
    DBOS.launch()
    await trip()
    started = time.perf_counter()
    results = await asyncio.gather(*(trip() for _ in range(runs)))
    seconds = time.perf_counter() - started
    assert all(len(result) == 4 for result in results), results
    DBOS.destroy()
    return {"runs": runs, "seconds": seconds, "peak_bytes": peak_bytes()}


def main(shape, folder, size, how):
    assert (shape, how) == ("crowd", "sqlite"), (shape, how)
    print(json.dumps(asyncio.run(crowd(folder, int(size)))))


main(*sys.argv[1:])
