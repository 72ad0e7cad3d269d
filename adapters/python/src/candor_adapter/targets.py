"""What can be served: how each framework is started, tells its progress, asks, and is stopped.

A framework is recognised by the module of the target's class; none of them is imported before that.
"""

import asyncio
import copy
import inspect

from .task import Cancelled, as_json

# The fields of a graph's state that take the task in words.
TASK_FIELDS = ("task", "description", "input", "question", "query", "request", "prompt", "goal", "topic")


class Target:
    """A function `(turn) -> result`; the other targets are subclasses."""

    def __init__(self, target, to_input=None, to_output=None):
        self.target = target
        self.to_input = to_input or self.usual_input
        self.to_output = to_output or self.usual_output
        self.name = self.usual_name()
        self.description = self.usual_description()

    def usual_name(self):
        return getattr(self.target, "name", None) or getattr(self.target, "__name__", None) or "agent"

    def usual_description(self):
        return (inspect.getdoc(self.target) or "").strip().split("\n\n")[0] if callable(self.target) else ""

    def usual_input(self, turn):
        return turn

    def usual_output(self, result):
        return result

    def run(self, turn):
        """Works on a task to its end."""
        return self.to_output(self.work(turn))

    def work(self, turn):
        given = self.to_input(turn)
        result = self.target(given)
        if inspect.isawaitable(result):
            return run_async(turn, lambda: result)
        return result


class LangGraph(Target):
    """A graph: its nodes are the progress, its interrupts the questions."""

    def __init__(self, target, **options):
        from langgraph.checkpoint.memory import InMemorySaver

        if hasattr(target, "compile"):
            target = target.compile(checkpointer=InMemorySaver())
        elif not getattr(target, "checkpointer", None):
            # Without one it could not go on after an interrupt.
            target = copy.copy(target)
            target.checkpointer = InMemorySaver()
        super().__init__(target, **options)

    def usual_name(self):
        name = getattr(self.target, "name", None)
        return name if name and name != "LangGraph" else "graph"

    def usual_description(self):
        schema = getattr(getattr(self.target, "builder", None), "state_schema", None)
        own = vars(schema).get("__doc__") if schema else None
        return (own or "").strip()

    def _fields(self):
        """The names of what the graph takes; none for one that is a function."""
        builder = getattr(self.target, "builder", None)
        schema = getattr(builder, "input_schema", None) or getattr(builder, "input", None)
        return list(getattr(builder, "schemas", {}).get(schema, {}))

    def usual_input(self, turn):
        fields = self._fields()
        if not fields:
            return {"task": turn.text, **turn.inputs}
        given = {name: turn.inputs[name] for name in fields if name in turn.inputs}
        if "messages" in fields:
            return {**given, "messages": [{"role": "user", "content": turn.prompt}]}
        words = next((name for name in TASK_FIELDS if name in fields and name not in given), None)
        if words is None:
            free = [name for name in fields if name not in given]
            words = free[0] if free else None
        return {**given, words: turn.text} if words else given

    def usual_output(self, values):
        if not isinstance(values, dict):
            return values
        values = dict(values)
        messages = values.pop("messages", None)
        if messages:
            values["text"] = text_of(getattr(messages[-1], "content", messages[-1]))
        return values

    def work(self, turn):
        from langgraph.types import Command

        config = {"configurable": {"thread_id": turn.task.id}}
        given = first = self.to_input(turn)
        while True:
            interrupts = run_async(turn, lambda: self._stream(turn, given, config))
            if not interrupts:
                state = run_async(turn, lambda: self.target.aget_state(config)).values
                outputs = self.target.output_channels
                if isinstance(outputs, str) or not isinstance(state, dict):
                    return state
                return {name: state[name] for name in outputs if name in state and is_new(name, state, first, turn)}
            answers = {it.id: turn.ask(question_of(it.value)) for it in interrupts}
            given = Command(resume=answers if len(answers) > 1 else next(iter(answers.values())))

    async def _stream(self, turn, given, config):
        interrupts = []
        async for mode, update in self.target.astream(given, config, stream_mode=["updates", "custom"]):
            turn.check()
            if mode == "custom":
                turn.progress(text_of(update))
            elif "__interrupt__" in update:
                interrupts.extend(update["__interrupt__"])
            else:
                turn.progress(f"{', '.join(update)} done")
        return interrupts


class CrewAI(Target):
    """A crew: its tasks are the progress, human input the questions. Its inputs are those of the task, and `task`."""

    def usual_name(self):
        return getattr(self.target, "name", None) or "crew"

    def usual_description(self):
        return "; ".join(f"{agent.role}: {agent.goal}" for agent in getattr(self.target, "agents", []))

    def usual_input(self, turn):
        return {"task": turn.prompt, "description": turn.text, **turn.inputs}

    def usual_output(self, result):
        made = getattr(result, "json_dict", None) or getattr(result, "pydantic", None)
        return made or {"text": getattr(result, "raw", str(result))}

    def work(self, turn):
        from crewai.core.providers import human_input

        class Asking(human_input.SyncHumanInputProvider):
            # Its words replace a prompt on the terminal; an empty answer accepts the result.
            @staticmethod
            def _prompt_input(_crew):
                answer = turn.ask("The crew asks for feedback on its result. Answer `ok` to accept it.")
                return "" if answer.strip().lower() in ("", "ok", "accept", "yes") else answer

        # Tasks of a crew keep their results: each turn has a crew of its own.
        crew = self.target.copy()
        crew.name = getattr(self.target, "name", None)
        before = crew.task_callback

        def done(output):
            turn.progress(f"{output.agent} done: {(output.name or output.description or '')[:80]}")
            return before(output) if before else None

        crew.task_callback = done
        crew.step_callback = crew.step_callback or (lambda _step: turn.check())
        token = human_input.set_provider(Asking())
        try:
            return crew.kickoff(inputs=self.to_input(turn))
        finally:
            human_input.reset_provider(token)


class OpenAIAgents(Target):
    """An agent of the OpenAI Agents SDK: its tools and handoffs are the progress, approvals of tools the questions."""

    def usual_description(self):
        told = getattr(self.target, "handoff_description", None) or getattr(self.target, "instructions", None)
        return told.strip() if isinstance(told, str) else ""

    def usual_input(self, turn):
        return turn.prompt

    def usual_output(self, result):
        made = result.final_output
        return {"text": made} if isinstance(made, str) else made

    def work(self, turn):
        given = self.to_input(turn)
        while True:
            result = run_async(turn, lambda: self._stream(turn, given))
            if not result.interruptions:
                return result
            given = result.to_state()
            for item in result.interruptions:
                tool = getattr(item, "tool_name", None) or getattr(item.raw_item, "name", "a tool")
                arguments = getattr(item.raw_item, "arguments", "")
                answer = turn.ask(f"May the tool `{tool}` be called with {arguments}? yes or no").strip()
                if answer.lower() in ("yes", "y", "ok", "si", "sí"):
                    given.approve(item)
                else:
                    given.reject(item, rejection_message=f"Not allowed: {answer}")

    async def _stream(self, turn, given):
        from agents import Runner

        result = Runner.run_streamed(self.target, given)
        async for event in result.stream_events():
            turn.check()
            item = getattr(event, "item", None)
            if event.type == "agent_updated_stream_event":
                turn.progress(f"{event.new_agent.name} at work")
            elif getattr(item, "type", "") == "tool_call_item":
                turn.progress(f"calls {getattr(item.raw_item, 'name', 'a tool')}")
        return result


def adapt(target, **options):
    """The target in the form that is served."""
    modules = [cls.__module__.split(".")[0] for cls in type(target).__mro__]
    for module, adapter in (("langgraph", LangGraph), ("crewai", CrewAI), ("agents", OpenAIAgents)):
        if module in modules:
            return adapter(target, **options)
    if isinstance(target, Target):
        return target
    if callable(target):
        return Target(target, **options)
    raise TypeError(f"cannot serve a {type(target).__name__}: expected a LangGraph graph, a CrewAI crew, an OpenAI "
                    "Agents agent, a function or a Target")


def run_async(turn, coroutine):
    """Runs a coroutine to its end; canceling the task cancels it where it waits."""

    async def run():
        loop, job = asyncio.get_running_loop(), asyncio.ensure_future(coroutine())
        turn.on_cancel(lambda: loop.call_soon_threadsafe(job.cancel))
        return await job

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        raise Cancelled from None
    except RuntimeError:
        # The loop of an earlier part is closed when the task is canceled: that part is over.
        turn.check()
        raise


def is_new(name, state, given, turn):
    """Whether a field of a state is more than what was put into it, or is expected all the same."""
    untouched = isinstance(given, dict) and name in given and state[name] == given[name]
    return not untouched or name in (turn.data.get("expected_outputs") or [])


def question_of(value):
    """The words of an interrupt's value: a text, or the first of its usual fields, with the others behind it."""
    if isinstance(value, dict):
        for key in ("question", "text", "message", "prompt", "description"):
            if isinstance(value.get(key), str):
                others = {name: other for name, other in value.items() if name != key}
                return f"{value[key]} {as_json(others)}" if others else value[key]
    return text_of(value)


def text_of(value):
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) and "text" in part for part in value):
        return "".join(part["text"] for part in value)
    return as_json(value)
