"""A worker for Candor on Python's standard library: python3 worker.py [PORT]. It adds up the route that it is given."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def work(order):
    """Yields what is told while it works, and at last the answer or a question."""
    answers = {it["question"]: it["answer"] for it in order.get("answers", [])}
    if "Which unit?" not in answers:
        # The same order comes again with the answer, in hours if need be.
        yield {"question": {"text": "Which unit?", "options": ["km", "miles"]}}
        return
    unit, legs = answers["Which unit?"], order["inputs"].get("legs", [])
    for number, leg in enumerate(legs, 1):
        yield {"tell": {"messageType": "discovery", "content": f"leg {number} of {len(legs)}: {leg} km"}}
    yield {"outputs": {"distance": round(sum(legs) * (1 if unit == "km" else 0.6214), 1), "unit": unit}, "cost": 0}


class Worker(BaseHTTPRequestHandler):
    def do_POST(self):
        order = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson")
        self.end_headers()
        for line in work(order):
            self.wfile.write(json.dumps(line).encode() + b"\n")


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8801), Worker)
print(server.server_address[1], flush=True)
server.serve_forever()
