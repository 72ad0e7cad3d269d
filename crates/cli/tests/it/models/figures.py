"""Computes key figures from the events of runs, one JSON object per line, without any code of the project.

Prints one JSON object: the name of each figure with its value, or null where there are too few samples.
"""

import json
import math
import sys
from datetime import datetime


def millis(text):
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def percentile(values, percent):
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1] if len(values) >= 5 else None


def share(part, whole):
    return part / whole if whole >= 5 else None


runs = {}
for line in sys.stdin:
    event = json.loads(line)
    if "position" in event:
        runs.setdefault(event["run_id"], []).append(event)

calls, durations, read, cached, attempts, retries, fallbacks, asks = [], [], 0, 0, 0, 0, 0, 0
judged, well, first, verified, validated = 0, 0, 0, 0, 0
tokens, cost, fan_out, agents, tasks, parallel = 0, 0.0, 0, 0, 0, 0
for events in runs.values():
    start = millis(events[0]["timestamp"])
    run_tokens, run_cost, run_retries, running, names, together = 0, 0.0, 0, set(), set(), {}
    verdict, status, end = None, None, None
    for event in events:
        name, step = event["event"], None
        if name == "model_consulted":
            step = event["step"]
        elif name == "agent_noted" and "consulted" in event["note"]:
            step = event["note"]["consulted"]["step"]
        if step is not None:
            asks += 1
            call = step.get("call")
            if call:
                used = call["tokens"]
                calls.append(round(call["duration_seconds"] * 1000))
                cached += used.get("cached_read", 0)
                read += used.get("input", 0) + used.get("cached_read", 0)
                run_tokens += sum(used.values())
        if name == "charged":
            run_cost += event["amount"]
        if name == "task_dispatched":
            attempts += 1
            running.add(event["task_id"])
            names.add(event["agent_type"])
            together.setdefault(event["task_id"], False)
            if len(running) > 1:
                for task in running:
                    together[task] = True
            fan_out = max(fan_out, len(running))
        if name in ("task_succeeded", "task_failed", "task_stopped"):
            running.discard(event["task_id"])
        if name == "task_succeeded" or name == "task_failed" and event["attempt"] > 0:
            calls.append(round(event["feedback"]["duration_seconds"] * 1000))
        if name in ("retry_scheduled", "replanned", "task_reopened"):
            retries += 1
            run_retries += 1
        if name == "fell_back":
            fallbacks += 1
        if name == "outcome_recorded":
            verdict = event["assessment"]["verdict"]
        if name in ("run_completed", "run_failed", "run_aborted", "run_cancelled"):
            status, end = name, millis(event["timestamp"])
    durations.append(end - start)
    tokens += run_tokens
    cost += run_cost
    agents += len(names)
    tasks += len(together)
    parallel += sum(together.values())
    if status != "run_cancelled":
        judged += 1
        good = status == "run_completed" and verdict != "not_met"
        well += good
        first += good and run_retries == 0
    if verdict in ("verified", "not_met"):
        validated += 1
        verified += verdict == "verified"

count = len(runs)
print(json.dumps({
    "p50": percentile(calls, 50),
    "p90": percentile(calls, 90),
    "p95": percentile(calls, 95),
    "p99": percentile(calls, 99),
    "totalDuration": share(sum(durations), count),
    "taskCompletionRate": share(well, judged),
    "firstAttemptSuccess": share(first, judged),
    "validationPassRate": share(verified, validated),
    "tokensPerTask": share(tokens, count),
    "costPerTask": share(cost, count),
    "agentsPerTask": share(agents, count),
    "cacheHitRate": share(cached, read),
    "parallelizationRatio": share(parallel, tasks),
    "fanOut": fan_out,
    "retryRate": share(retries, attempts),
    "fallbackRate": share(fallbacks, attempts + asks),
}))
