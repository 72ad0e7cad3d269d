"""Serves an agent of another framework as an A2A server, in one call.

    from candor_adapter import serve
    serve(graph, port=9000)        # a LangGraph graph, a CrewAI crew, an OpenAI Agents agent, or a function

Candor then knows it by three lines: agent_type, a2a = "http://127.0.0.1:9000", and nothing else, since the card
tells what it can do. Only the standard library is used; the framework is the caller's.
"""

from .server import Server
from .targets import Target, adapt
from .task import Cancelled, Turn, ask, progress

__all__ = ["Cancelled", "Server", "Target", "Turn", "adapt", "ask", "progress", "serve"]


def serve(target, host="127.0.0.1", port=9000, *, block=True, **options):
    """Serves `target` until it is interrupted; with `block=False` returns the running `Server`.

    Options: `name`, `description` and `skills` for the card; `token` (what `Authorization: Bearer …` must hold);
    `url` (the public address, where it differs from host and port); `max_running` (tasks at once);
    `to_input(turn)` and `to_output(result)`, where the defaults do not fit what the target takes and gives.
    """
    server = Server(adapt(target, **{key: options.pop(key) for key in ("to_input", "to_output") if key in options}),
                    host, port, **options)
    server.start()
    if not block:
        return server
    print(f"{server.name} is an A2A agent at {server.url}", flush=True)
    try:
        server.wait()
    except KeyboardInterrupt:
        server.close()
    return server
