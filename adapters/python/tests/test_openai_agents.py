"""An agent of the OpenAI Agents SDK, with the real package and a scripted model."""

import unittest

from candor_adapter import serve

from .client import Client, outputs, progress, said, state

try:
    from agents import Agent, ModelResponse, Usage, function_tool, set_tracing_disabled
    from agents.models.interface import Model
    from openai.types.responses import (
        Response,
        ResponseCompletedEvent,
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )
except ImportError as error:
    raise unittest.SkipTest(f"openai-agents is not installed: {error}")

set_tracing_disabled(True)


class Scripted(Model):
    """Calls the tool first, and then says what came of it."""

    def output(self, given):
        results = [it for it in given if isinstance(it, dict) and it.get("type") == "function_call_output"]
        if not results:
            return [ResponseFunctionToolCall(type="function_call", name="water", arguments='{"plant": "fern"}',
                                             call_id="c1", id="f1")]
        text = ResponseOutputText(type="output_text", text=f"done: {results[-1]['output']}", annotations=[])
        return [ResponseOutputMessage(id="m1", type="message", role="assistant", status="completed", content=[text])]

    async def get_response(self, system_instructions, input, *args, **kwargs):
        given = [] if isinstance(input, str) else input
        return ModelResponse(output=self.output(given), usage=Usage(), response_id="r")

    async def stream_response(self, system_instructions, input, *args, **kwargs):
        given = [] if isinstance(input, str) else input
        response = Response(id="r", created_at=0, model="scripted", object="response", output=self.output(given),
                            parallel_tool_calls=False, tool_choice="auto", tools=[])
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)


def gardener(approval):
    @function_tool(needs_approval=approval)
    def water(plant: str) -> str:
        """Waters a plant."""
        return f"{plant} is wet"

    return Agent(name="gardener", instructions="You care for plants.", tools=[water], model=Scripted())


class OpenAIAgentsTest(unittest.TestCase):
    def serve(self, target):
        server = serve(target, port=0, block=False)
        self.addCleanup(server.close)
        return Client(server.url)

    def test_an_agent_works_and_its_tools_are_progress(self):
        client = self.serve(gardener(False))
        card = client.card()
        self.assertEqual((card["name"], card["description"]), ("gardener", "You care for plants."))
        events = list(client.stream("SendStreamingMessage", message=client.message("Water the fern")))
        self.assertIn("calls water", progress(events))
        task = client.call("GetTask", id=events[0]["task"]["id"])
        self.assertEqual((state(task), outputs(task)), ("COMPLETED", {"text": "done: fern is wet"}))

    def test_a_tool_that_needs_approval_is_a_question(self):
        for answer, result in (("yes", "done: fern is wet"), ("too wet already", "done: Not allowed: too wet already")):
            client = self.serve(gardener(True))
            task = client.send("Water the fern")
            self.assertEqual(state(task), "INPUT_REQUIRED")
            self.assertIn("`water`", said(task["status"]))
            task = client.send(answer, task=task["id"])
            self.assertEqual((state(task), outputs(task)), ("COMPLETED", {"text": result}))


if __name__ == "__main__":
    unittest.main()
