"""A small step's command asks the process that serves such steps. It must start fast: it imports next to nothing."""

import json
import os
import socket
import struct
import sys

ADDRESS = "PDGMM_STEP_SERVER"
"""The environment variable with the name of the server's socket after an ``@``; ``off`` where none is wanted."""

OFF = "off"

LONGEST_WAIT = 60.0
"""Seconds until a server that does not answer, as one that was stopped, is left alone. It may be busy importing."""

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

KILLED, INTERRUPTED = 137, 130
"""What shells say of a command that ``kill -9`` ended, and of one that Ctrl-C did."""


def answered(arguments: list[str]) -> int | None:
    """The exit code of ``pdgmm <arguments>``, done by the server; None where this process has to do it itself."""
    address = os.environ.get(ADDRESS, OFF)
    if address in ("", OFF) or not is_small(arguments):
        return None
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            return _answer(connection, address, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _answer(connection: socket.socket, address: str, arguments: list[str]) -> int | None:
    try:
        connection.settimeout(LONGEST_WAIT)
        connection.connect(named(address))
        if not is_mine(connection):
            return None
        _send_request(connection, arguments)
        taken = connection.recv(1)
    except OSError:
        taken = b""
    if not taken:
        return None  # Nobody has begun with it.
    connection.settimeout(None)
    try:
        code = connection.makefile().read()
    except OSError:
        code = ""
    if code:
        return int(code)
    sys.stderr.write(
        "error: this step ended without a word: it crashed, or was killed, as the system does when memory runs out. "
        "Nothing is lost: run the same command again, with fewer jobs at once by a smaller --cores, or with "
        f"{ADDRESS}={OFF} to see how it ends in a process of its own\n"
    )
    return KILLED


def named(address: str) -> str:
    """The system's name of the socket at ``address``.

    It is in Linux's namespace of sockets without files, so that a process that is killed leaves nothing behind.
    """
    return address.replace("@", "\0", 1)


def is_mine(connection: socket.socket) -> bool:
    """Whether the other end is a process of the same user: any user can connect to a name, or take one."""
    credentials = struct.Struct("3i")
    _, user, _ = credentials.unpack(
        connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, credentials.size)
    )
    return user == os.getuid()


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
