"""A small step's command asks the process that serves such steps. It must start fast: it imports next to nothing."""

import json
import os
import socket
import sys

ADDRESS = "PDGMM_STEP_SERVER"
"""The environment variable with the path of the server's socket; ``off`` where none is wanted."""

SMALL_STEPS = frozenset(
    {
        "score",
        "discover-graph",
        "score-graph",
        "tabulate",
        "summarise",
        "draw-cost",
        "draw-heatmaps",
        "draw-supports",
        "draw-graphs",
    }
)
"""Steps that only look at what was learned, and need no torch for it. Whatever trains has a process of its own."""

KILLED = 137
"""What shells say of a command that ``kill -9`` ended."""


def answered(arguments: list[str]) -> int | None:
    """The exit code of ``pdgmm <arguments>``, done by the server; None where this process has to do it itself."""
    address = os.environ.get(ADDRESS, "")
    if not address or not is_small(arguments):
        return None
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
            _send_request(connection, arguments)
        except OSError:
            return None
        try:
            answer = connection.makefile().read()
        except KeyboardInterrupt:
            return 130
        except OSError:
            answer = ""
    if not answer:
        sys.stderr.write(
            "error: this step was killed, as the system does when memory runs out. Nothing is lost: run the same "
            f"command again, with fewer jobs at once by a smaller --cores, or with {ADDRESS}=off to see it end in a "
            "process of its own\n"
        )
        return KILLED
    return int(answer)


def is_small(arguments: list[str]) -> bool:
    """Whether ``pdgmm <arguments>`` is a small step on one thread, as the workflow's rules call it."""
    return (
        arguments[:3] == ["step", "--threads", "1"] and arguments[3:4] != [] and arguments[3] in SMALL_STEPS
    )


def _send_request(connection: socket.socket, arguments: list[str]) -> None:
    """Send this process's streams, then, as a line of JSON, what to do, where, and in which environment."""
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    socket.send_fds(connection, [b"\0"], [0, 1, 2])
    connection.sendall(json.dumps(request).encode() + b"\n")
