"""Computes key figures from the events of runs, one JSON object per line, without any code of the project.

Takes the first and the last millisecond of the window; without them, everything is looked at as one hour.
Prints one JSON object: the name of each figure with its value, or null where there are too few samples.
"""

import json
import math
import sys
from datetime import datetime

ENDS = ("run_completed", "run_failed", "run_aborted", "run_cancelled")
SINCE, UNTIL = (int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (0, 2**62)


def millis(text):
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def percentile(values, percent):
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1] if len(values) >= 5 else None


def share(part, whole):
    return part / whole if whole >= 5 else None


def mean(values):
    return share(sum(values), len(values))


def read():
    """The events of each run: as the command prints them, or as they are on the log."""
    runs = {}
    for line in sys.stdin:
        event = json.loads(line)
        if "position" not in event:
            continue
        if isinstance(event["event"], dict):
            name, body = next(iter(event["event"].items()))
            body = body or {}
            event = {**body, "run_id": event["run_id"], "event": name, "timestamp": event["at"]}
        event["ms"] = millis(event["timestamp"])
        runs.setdefault(event["run_id"], []).append(event)
    return runs.values()


def step_of(event):
    if event["event"] == "model_consulted":
        return event["step"]
    if event["event"] == "agent_noted" and "consulted" in event["note"]:
        return event["note"]["consulted"]["step"]
    return None


def used_by(event):
    """Tokens that an event reports."""
    step = step_of(event)
    if step is not None:
        return (step.get("call") or {}).get("tokens", {})
    if event["event"] == "agent_noted" and "session" in event["note"]:
        return event["note"]["session"].get("tokens") or {}
    return {}


def whole(events):
    """What is said of a whole run that has ended."""
    run = dict(tokens=0, cost=0.0, retries=0, names=set(), tasks={}, depth=0, fan_out=0, kind=None, waited=0)
    running, gates, since = set(), set(), None
    for event in events:
        name = event["event"]
        run["tokens"] += sum(used_by(event).values())
        if name == "charged":
            run["cost"] += event["amount"]
        if name == "task_dispatched":
            running.add(event["task_id"])
            run["names"].add(event["agent_type"])
            run["tasks"].setdefault(event["task_id"], False)
            if len(running) > 1:
                run["tasks"].update({task: True for task in running})
            run["fan_out"] = max(run["fan_out"], len(running))
            run["depth"] = max(run["depth"], 1)
        if name in ("task_succeeded", "task_failed", "task_stopped"):
            running.discard(event["task_id"])
        if name == "agent_noted" and "called" in event["note"]:
            run["depth"] = max(run["depth"], 2)
        if name == "agent_noted" and "remote" in event["note"]:
            run["depth"] = max(run["depth"], 3)
        if name in ("retry_scheduled", "replanned", "task_reopened"):
            run["retries"] += 1
        if name == "prompt_scored" and event.get("evaluation"):
            complexity = event["evaluation"]["complexity"]["total"]
            run["kind"] = "simple" if complexity < SIMPLE else "standard" if complexity < STANDARD else "complex"
        if name == "human_asked":
            gates.add(event["gate"])
            since = event["ms"] if since is None else since
        if name in ("human_answered", "question_withdrawn"):
            gates.discard(event["gate"])
            if not gates and since is not None:
                run["waited"] += event["ms"] - since
                since = None
    if since is not None:
        run["waited"] += events[-1]["ms"] - since
    run["duration"] = max(0, events[-1]["ms"] - events[0]["ms"] - run["waited"])
    return run


# The classes of complexity: below these a request is simple, or standard.
SIMPLE, STANDARD = 31, 61

calls, first_tokens, durations, trips = [], [], [], set()
read_tokens, cached, attempts, retries, fallbacks, asks, seen_runs = 0, 0, 0, 0, 0, 0, 0
judged, well, first, verified, validated, claims, false_claims = 0, 0, 0, 0, 0, 0, 0
sums = {kind: [0, 0, 0.0] for kind in (None, "simple", "standard", "complex")}
agents, tasks, parallel, depths, fan_outs = 0, 0, 0, [], []
for events in read():
    seen = False
    for event in (event for event in events if SINCE <= event["ms"] <= UNTIL):
        seen, name, step = True, event["event"], step_of(event)
        if step is not None:
            asks += 1
            call = step.get("call")
            if call:
                used = call["tokens"]
                calls.append(round(call["duration_seconds"] * 1000))
                cached += used.get("cached_read", 0)
                read_tokens += used.get("input", 0) + used.get("cached_read", 0)
                first_token = (call.get("details") or {}).get("first_token_seconds")
                if first_token is not None:
                    first_tokens.append(round(first_token * 1000))
        attempts += name == "task_dispatched"
        if name == "task_succeeded" or name == "task_failed" and event["attempt"] > 0:
            calls.append(round(event["feedback"]["duration_seconds"] * 1000))
        retries += name in ("retry_scheduled", "replanned", "task_reopened")
        fallbacks += name == "fell_back"
        if name == "breaker_opened":
            trips.add((event["agent_type"], event.get("until")))
        if name == "model_breaker_opened":
            trips.add((event["model"], event["timestamp"]))
    seen_runs += seen
    ends = [place for place, event in enumerate(events) if event["event"] in ENDS]
    if not ends or any(event["event"] == "rolled_back" for event in events[ends[-1]:]):
        continue
    end = events[ends[-1]]
    if not SINCE <= end["ms"] <= UNTIL:
        continue
    run = whole(events[:ends[-1] + 1])
    outcomes = [event for event in events if event["event"] == "outcome_recorded"]
    assessment = (outcomes[-1].get("assessment") if outcomes else None) or {}
    verdict = assessment.get("verdict")
    durations.append(run["duration"])
    if end["event"] != "run_cancelled":
        judged += 1
        good = end["event"] == "run_completed" and verdict != "not_met"
        well += good
        first += good and run["retries"] == 0
    if verdict in ("verified", "not_met"):
        validated += 1
        verified += verdict == "verified"
    of_task = {}
    for criterion in assessment.get("criteria", []):
        if criterion["source"] == "claim" and criterion["result"] != "could_not_be_checked":
            of_task.setdefault(criterion.get("task_id"), []).append(criterion["result"])
    claims += len(of_task)
    false_claims += sum("does_not_hold" in results for results in of_task.values())
    for kind in {None, run["kind"]}:
        sums[kind][0] += 1
        sums[kind][1] += run["tokens"]
        sums[kind][2] += run["cost"]
    if run["tasks"]:
        agents += len(run["names"])
        tasks += len(run["tasks"])
        parallel += sum(run["tasks"].values())
        depths.append(run["depth"])
        fan_outs.append(run["fan_out"])

figures = {
    "p50": percentile(calls, 50),
    "p90": percentile(calls, 90),
    "p95": percentile(calls, 95),
    "p99": percentile(calls, 99),
    "ttft": mean(first_tokens),
    "totalDuration": mean(durations),
    "taskCompletionRate": share(well, judged),
    "firstAttemptSuccess": share(first, judged),
    "hallucinationRate": share(false_claims, claims),
    "validationPassRate": share(verified, validated),
    "agentsPerTask": share(agents, len(depths)),
    "cacheHitRate": share(cached, read_tokens),
    "parallelizationRatio": share(parallel, tasks),
    "depth": max(depths, default=None),
    "averageDepth": mean(depths),
    "fanOut": max(fan_outs, default=None),
    "retryRate": share(retries, attempts),
    "fallbackRate": share(fallbacks, attempts + asks),
}
if len(sys.argv) > 2:
    hours = (UNTIL - SINCE) / 3_600_000
    figures["circuitBreakerTrips"] = len(trips) / hours if seen_runs else None
for kind, (count, tokens, cost) in sums.items():
    suffix = "" if kind is None else f".{kind}"
    # Runs that asked no model say nothing of tokens.
    figures[f"tokensPerTask{suffix}"] = share(tokens, count) if tokens else None
    figures[f"costPerTask{suffix}"] = share(cost, count)
print(json.dumps(figures))
