"""A CrewAI crew, with the real package and a model that answers from a list."""

import os
import unittest

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

from candor_adapter import serve

from .client import Client, outputs, progress, said, state

try:
    from crewai import Agent, BaseLLM, Crew
    from crewai import Task as CrewTask
except ImportError as error:
    raise unittest.SkipTest(f"crewai is not installed: {error}")


class Scripted(BaseLLM):
    """Answers with what it was asked about."""

    def call(self, messages, *args, **kwargs):
        text = messages if isinstance(messages, str) else " ".join(str(it.get("content")) for it in messages)
        subject = "bees" if "bees" in text else "nothing"
        polished = " politely" if "be polite" in text else ""
        return f"Thought: I know.\nFinal Answer: all about {subject}{polished}"


def crew(human_input=False):
    agent = Agent(role="Writer", goal="Write well", backstory="Old hand", llm=Scripted(model="scripted"), verbose=False)
    task = CrewTask(description="Write about {subject}: {task}", expected_output="a text", agent=agent,
                    human_input=human_input)
    return Crew(agents=[agent], tasks=[task], name="newsroom", verbose=False)


class CrewAITest(unittest.TestCase):
    def serve(self, target):
        server = serve(target, port=0, block=False)
        self.addCleanup(server.close)
        return Client(server.url)

    def test_a_crew_works_on_a_task_and_tells_its_progress(self):
        client = self.serve(crew())
        card = client.card()
        self.assertEqual((card["name"], card["description"]), ("newsroom", "Writer: Write well"))
        for _ in range(2):
            message = client.message("An article", {"inputs": {"subject": "bees"}})
            events = list(client.stream("SendStreamingMessage", message=message))
            self.assertTrue(any("Writer done" in line for line in progress(events)), events)
            task = client.call("GetTask", id=events[0]["task"]["id"])
            self.assertEqual((state(task), outputs(task)), ("COMPLETED", {"text": "all about bees"}))

    def test_human_input_is_a_question(self):
        client = self.serve(crew(human_input=True))
        task = client.send("An article", {"inputs": {"subject": "bees"}})
        self.assertEqual(state(task), "INPUT_REQUIRED")
        self.assertIn("feedback", said(task["status"]))
        task = client.send("be polite", task=task["id"])
        self.assertEqual(state(task), "INPUT_REQUIRED")
        task = client.send("ok", task=task["id"])
        self.assertEqual((state(task), outputs(task)), ("COMPLETED", {"text": "all about bees politely"}))


if __name__ == "__main__":
    unittest.main()
