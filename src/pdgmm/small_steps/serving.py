"""The process that serves small steps, each in a fork of it: ``python -m pdgmm.small_steps.serving``.

It is handed a listening socket (its file descriptor) and serves until its standard input ends, which is when the
process that started it does, however that ends. It imports nothing beforehand: a fork that has done its step
says what it had to import, and the server then imports the same, so that the next fork finds it there.
"""

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import threading
import traceback

from pdgmm.small_steps.asking import is_mine

SAID = "INFO done by the process that serves small steps"
"""The first line of a served step's log."""

NEVER = ("torch", "__main__", "__mp_main__")
"""Not for this process. Torch is large, no small step needs it, and threads of it would not survive a fork."""


def serve(listener: socket.socket, lifeline: int) -> None:
    """Do what is asked for on ``listener`` until ``lifeline`` ends."""
    # Ctrl-C reaches every process of a run. The steps heed it as ever; this one ends with the run. Nobody has to wait
    # for forks that have ended.
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGCHLD)}
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(lifeline, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd == lifeline:
                    return
                if key.fileobj is listener:
                    _take(listener, selector, before)
                else:
                    _listen_to_fork(key, selector)


def _take(
    listener: socket.socket, selector: selectors.BaseSelector, handlers: dict[int, signal.Handlers]
) -> None:
    """Accept a connection and have a fork of this process do what it asks for; ``handlers`` are those of signals."""
    try:
        connection, _ = listener.accept()
    except OSError:
        # Out of files. Who asks would wait for this process, and it for a file: from here on all do it themselves.
        selector.unregister(listener)
        listener.close()
        return
    # Out of files or processes: who asked sees the connection end, and does it itself.
    with connection, contextlib.suppress(OSError):
        if is_mine(connection):
            _fork(connection, selector, handlers)


def _fork(
    connection: socket.socket, selector: selectors.BaseSelector, handlers: dict[int, signal.Handlers]
) -> None:
    """Do in a fork of this process what ``connection`` asks for; an ``OSError`` where the system allows no fork."""
    imported, tell = os.pipe()
    try:
        forked = os.fork()
    except OSError:
        os.close(imported)
        os.close(tell)
        raise
    if not forked:
        try:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            # What is left open here would keep others waiting for its end.
            for other in list(selector.get_map().values()):
                os.close(other.fd)
            os.close(imported)
            _be_the_step(connection, tell)
        finally:
            # Whatever happens, a fork never goes on as a second server.
            os._exit(1)
    os.close(tell)
    selector.register(imported, selectors.EVENT_READ, bytearray())


def _listen_to_fork(key: selectors.SelectorKey, selector: selectors.BaseSelector) -> None:
    """Take in what a fork says of its imports; at the end of it, import the same."""
    said = os.read(key.fd, 2**16)
    key.data.extend(said)
    if said:
        return
    selector.unregister(key.fd)
    os.close(key.fd)
    for name in key.data.decode().split():
        if name.partition(".")[0] not in NEVER:
            # Some names in `sys.modules` are not of modules that can be imported.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    # What is here now stays: forks need no copies of it for the garbage collector's sake.
    gc.freeze()


def _be_the_step(connection: socket.socket, tell: int) -> None:
    """Do in this fork what ``connection`` asks for, answer with the exit code, and end."""
    code = 1
    try:
        connection.sendall(b"+")
        before = set(sys.modules)
        code = _do(connection)
        connection.sendall(str(code).encode())
        with os.fdopen(tell, "w") as imports:
            imports.write("\n".join(name for name in list(sys.modules) if name not in before))
    except OSError:
        pass  # Who asked, or who serves, is gone: nobody is left to hear of it.
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _do(connection: socket.socket) -> int:
    """Do the step as the command that asks for it would; its exit code."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    line = connection.makefile().readline()
    if not line:
        return 1  # The command that asked is gone.
    request = json.loads(line)
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        if stream > 2:
            os.close(stream)
    try:
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = ["pdgmm", *request["arguments"]]
        sys.stderr.write(f"{SAID}\n")
        threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
        from pdgmm.cli.main import main

        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    return 0


def _end_with(connection: socket.socket) -> None:
    """End this process when the command that asked is gone: whoever ended that wanted the step to end."""
    with contextlib.suppress(OSError):
        while connection.recv(1):
            pass
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Serve on the socket of the command line."""
    serve(socket.socket(fileno=int(sys.argv[1])), sys.stdin.fileno())


if __name__ == "__main__":
    main()
