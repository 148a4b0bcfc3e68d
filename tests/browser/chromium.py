"""Headless Chromium, driven through its DevTools protocol over two pipes: needs nothing but the browser.

Messages are JSON that ends in a zero byte (``--remote-debugging-pipe``): the browser reads them from its file
descriptor 3 and writes them to 4.
"""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 120.0
"""Seconds to wait for an answer: on a busy machine the browser takes long to start."""


def find_chromium() -> str | None:
    """The browser named by ``CHROMIUM``, or the first one on the path."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """One page without network; everything the page says or asks for is kept in ``events``."""

    def __init__(self, program: str, profile: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
            "--no-first-run",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            # The sandbox cannot start for root, nor in most containers; the page is our own.
            "--no-sandbox",
        ]
        # A shell puts the pipes where the browser looks for them.
        script = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, program, *options],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._received = b""
        self._last = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._write)
        os.close(self._read)
        # The whole group that was started here: the browser has children.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command; events that come before it are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, page: Path, width: int, height: int = 800) -> None:
        """Show a local file in a window of that many pixels, and wait until it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.events.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        while not self.named("Page.loadEventFired"):
            self.events.append(self._next_message())

    def named(self, *methods: str) -> list[dict[str, Any]]:
        """What the events of these kinds carried."""
        return [event["params"] for event in self.events if event.get("method") in methods]

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """What the window shows, as a PNG: the pictures of documents are made so."""
        answer = self.call("Page.captureScreenshot")
        path.write_bytes(base64.b64decode(answer["data"]))

    def press_tab(self) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def _next_message(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the browser has said nothing for {PATIENCE:.0f} s")
            read = os.read(self._read, 1 << 20)
            if not read:
                raise RuntimeError("the browser has ended")
            self._received += read
        message, self._received = self._received.split(b"\0", 1)
        return json.loads(message)
