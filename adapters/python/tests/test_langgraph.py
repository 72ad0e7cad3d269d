"""A LangGraph graph, with the real package."""

import asyncio
import threading
import unittest
from typing import TypedDict

from candor_adapter import serve

from .client import Client, outputs, progress, said, state

try:
    from langgraph.func import entrypoint
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.types import interrupt
except ImportError as error:
    raise unittest.SkipTest(f"langgraph is not installed: {error}")


class Brew(TypedDict, total=False):
    """Brews hot drinks."""

    request: str
    cups: int
    steps: list
    drink: str


def boil(state):
    return {"steps": ["water"]}


def choose(state):
    kind = interrupt({"question": f"Green or black, for {state['cups']}?", "stock": [3, 0]})
    return {"drink": f"{state['cups']} x {kind}", "steps": state["steps"] + [kind]}


def graph():
    builder = StateGraph(Brew)
    builder.add_node("boil", boil)
    builder.add_node("choose", choose)
    builder.add_edge(START, "boil")
    builder.add_edge("boil", "choose")
    builder.add_edge("choose", END)
    return builder


class LangGraphTest(unittest.TestCase):
    def serve(self, target, **options):
        server = serve(target, port=0, block=False, **options)
        self.addCleanup(server.close)
        return Client(server.url)

    def test_nodes_are_progress_and_interrupts_are_questions(self):
        for target in (graph(), graph().compile()):
            client = self.serve(target, name="tea")
            self.assertEqual(client.card()["description"], "Brews hot drinks.")
            message = client.message("Make tea", {"inputs": {"cups": 2}, "expected_outputs": ["cups", "drink"]})
            events = list(client.stream("SendStreamingMessage", message=message))
            self.assertEqual(progress(events), ["boil done"])
            last = events[-1]["statusUpdate"]
            self.assertEqual(said(last["status"]), 'Green or black, for 2? {"stock": [3, 0]}')
            task = client.send("green", task=last["taskId"])
            self.assertEqual(state(task), "COMPLETED")
            # What was only passed through is no output, unless it is expected.
            self.assertEqual(outputs(task), {"cups": 2, "steps": ["water", "green"], "drink": "2 x green"})

    def test_a_graph_of_messages_answers_with_its_last_one(self):
        async def answer(state):
            await asyncio.sleep(0)
            return {"messages": [{"role": "assistant", "content": f"heard {len(state['messages'][0].content)}"}]}

        builder = StateGraph(MessagesState)
        builder.add_node("answer", answer)
        builder.add_edge(START, "answer")
        client = self.serve(builder.compile())
        task = client.send("Count me", {"inputs": {"more": "words"}})
        self.assertRegex(outputs(task)["text"], r"^heard \d{2}$")

    def test_a_canceled_graph_stops_inside_of_a_node(self):
        began, ended = threading.Event(), threading.Event()

        async def hang(state):
            began.set()
            try:
                await asyncio.sleep(600)
            finally:
                ended.set()

        builder = StateGraph(Brew)
        builder.add_node("hang", hang)
        builder.add_edge(START, "hang")
        client = self.serve(builder)
        task = client.send("wait", configuration={"returnImmediately": True})
        self.assertTrue(began.wait(60))
        self.assertEqual(state(client.call("CancelTask", id=task["id"])), "CANCELED")
        self.assertTrue(ended.wait(60))
        self.assertEqual(state(client.call("GetTask", id=task["id"])), "CANCELED")

    def test_what_a_node_raises_is_told(self):
        def broken(state):
            raise RuntimeError("the kettle is empty")

        builder = StateGraph(Brew)
        builder.add_node("broken", broken)
        builder.add_edge(START, "broken")
        task = self.serve(builder).send("tea")
        self.assertEqual(state(task), "FAILED")
        self.assertIn("the kettle is empty", said(task["status"]))


    def test_a_graph_that_is_a_function_gets_the_task_and_its_inputs(self):
        @entrypoint()
        def brew(given):
            return {"drink": f"{given['cups']} cups: {given['task']}"}

        task = self.serve(brew).send("Make tea", {"inputs": {"cups": 3}})
        self.assertEqual(outputs(task), {"drink": "3 cups: Make tea"})


if __name__ == "__main__":
    unittest.main()
