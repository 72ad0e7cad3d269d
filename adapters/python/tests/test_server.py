"""The protocol, with functions as targets."""

import threading
import time
import unittest
import urllib.error

import candor_adapter
from candor_adapter import serve

from .client import Client, outputs, progress, said, state


class ServerTest(unittest.TestCase):
    def serve(self, target, **options):
        server = serve(target, port=0, block=False, **options)
        self.addCleanup(server.close)
        return Client(server.url, options.get("token"))

    def test_a_function_is_an_agent_with_a_card(self):
        def greeter(turn):
            """Greets people."""
            return {"greeting": f"{turn.text}, {turn.inputs['name']}", "text": "done"}

        client = self.serve(greeter)
        card = client.card()
        self.assertEqual((card["name"], card["description"]), ("greeter", "Greets people."))
        self.assertEqual(card["supportedInterfaces"][0]["protocolVersion"], "1.0")
        task = client.send("Hello", {"inputs": {"name": "Ann"}})
        self.assertEqual(state(task), "COMPLETED")
        self.assertEqual(outputs(task), {"greeting": "Hello, Ann", "text": "done"})
        self.assertEqual(outputs(client.call("GetTask", id=task["id"])), outputs(task))

    def test_a_message_that_comes_twice_is_one_task(self):
        calls = []
        client = self.serve(lambda turn: calls.append(turn.text) or "x")
        message = client.message("once", message_id="run_1/t/1")
        first = client.call("SendMessage", message=message)["task"]
        again = client.call("SendMessage", message=message)["task"]
        self.assertEqual((first["id"], calls), (again["id"], ["once"]))
        listed = client.call("ListTasks", contextId=first["contextId"])["tasks"]
        self.assertEqual([task["id"] for task in listed], [first["id"]])

    def test_progress_and_questions_are_told_and_answered(self):
        def painter(turn):
            turn.progress("mixing")
            colour = candor_adapter.ask("Which colour?")
            candor_adapter.progress(f"painting {colour}")
            return f"painted {colour}"

        client = self.serve(painter)
        events = list(client.stream("SendStreamingMessage", message=client.message("paint")))
        self.assertEqual(progress(events), ["mixing"])
        last = events[-1]["statusUpdate"]
        self.assertEqual((last["status"]["state"], said(last["status"])), ("TASK_STATE_INPUT_REQUIRED", "Which colour?"))
        reply = client.message("blue", task=last["taskId"])
        events = list(client.stream("SendStreamingMessage", message=reply))
        self.assertIn("painting blue", progress(events))
        task = client.call("GetTask", id=last["taskId"])
        self.assertEqual((state(task), outputs(task)), ("COMPLETED", {"text": "painted blue"}))
        self.assertEqual(len(task["history"]), 2)
        self.assertEqual(client.error("SendMessage", message=client.message("red", task=task["id"]))["code"], -32004)

    def test_a_canceled_task_stops_where_it_asks_and_where_it_tells(self):
        stopped = threading.Event()

        def endless(turn):
            try:
                while True:
                    turn.progress("still")
                    time.sleep(0.01)
            except candor_adapter.Cancelled:
                stopped.set()
                raise

        for target in (endless, lambda turn: turn.ask("Go on?")):
            client = self.serve(target)
            task = client.send("go", configuration={"returnImmediately": True})
            self.assertEqual(state(client.call("CancelTask", id=task["id"])), "CANCELED")
            self.assertEqual(state(client.call("GetTask", id=task["id"])), "CANCELED")
        self.assertTrue(stopped.wait(30))

    def test_a_failure_is_told_in_its_own_words(self):
        def broken(_turn):
            raise ValueError("no paper left")

        task = self.serve(broken).send("print")
        self.assertEqual((state(task), said(task["status"])), ("FAILED", "ValueError: no paper left"))

    def test_questions_do_not_keep_others_from_working(self):
        client = self.serve(lambda turn: turn.ask("?") if turn.text == "ask" else "done", max_running=1)
        self.assertEqual(state(client.send("ask")), "INPUT_REQUIRED")
        self.assertEqual(state(client.send("work")), "COMPLETED")

    def test_what_is_wrong_is_refused(self):
        client = self.serve(lambda turn: "x", token="mauve-walrus")
        self.assertEqual(client.error("GetTask", id="nobody")["code"], -32001)
        self.assertEqual(client.error("Dance")["code"], -32601)
        self.assertEqual(client.error("SendMessage", message={})["code"], -32602)
        client.headers["a2a-version"] = "0.3"
        self.assertEqual(client.error("ListTasks")["code"], -32009)
        client.headers["authorization"] = "Bearer other"
        with self.assertRaises(urllib.error.HTTPError) as refused:
            client.call("ListTasks")
        self.assertEqual(refused.exception.code, 401)
        with self.assertRaises(TypeError):
            serve(object(), port=0, block=False)


if __name__ == "__main__":
    unittest.main()
