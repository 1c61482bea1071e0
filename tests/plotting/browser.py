"""A headless Chromium, driven through its DevTools protocol over a pair of pipes."""

import base64
import io
import json
import os
import select
import shutil
import signal
import tempfile
import time

import numpy as np

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
TIMEOUT = 60.0  # seconds: a machine may be busy


def executable():
    """Return the path of a Chromium, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """A page in a Chromium of its own, with what it says on the console."""

    def __init__(self, width=1280, height=800):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        command = [executable(), *FLAGS, f"--user-data-dir={self._profile.name}"]
        silent = os.open(os.devnull, os.O_WRONLY)
        # Chromium reads commands from descriptor 3 and answers on descriptor 4; the
        # ends are first moved out of the way of these numbers.
        high_read, high_write = os.dup(to_read), os.dup(to_write)
        while high_read < 5 or high_write < 5:
            high_read, high_write = os.dup(high_read), os.dup(high_write)
        self._process = os.posix_spawn(
            command[0],
            [*command, "about:blank"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, high_read, 3),
                (os.POSIX_SPAWN_DUP2, high_write, 4),
                (os.POSIX_SPAWN_DUP2, silent, 1),
                (os.POSIX_SPAWN_DUP2, silent, 2),
            ],
            setpgroup=0,
        )
        for descriptor in (to_read, to_write, silent, high_read, high_write):
            os.close(descriptor)
        self._unread, self._calls, self._session = b"", 0, None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method, **parameters):
        """Call a method of the protocol, and return its result."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._calls:
            self.events.append(answer)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _receive(self):
        end = time.monotonic() + TIMEOUT
        while b"\0" not in self._unread:
            ready, _, _ = select.select(
                [self._read], [], [], max(0.0, end - time.monotonic())
            )
            assert ready, "Chromium does not answer"
            data = os.read(self._read, 1 << 16)
            assert data, "Chromium has ended"
            self._unread += data
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)

    def open(self, path):
        """Open a file, and wait until it is loaded."""
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait("document.readyState === 'complete'")

    def resize(self, width, height, scale=1.0, mobile=False):
        """Give the page a size, in its own pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=mobile,
        )

    def run(self, script):
        """Return the value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition):
        """Wait until an expression in the page is true."""
        end = time.monotonic() + TIMEOUT
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, condition
            time.sleep(0.05)

    def press(self, key, count=1):
        """Press a key."""
        for _ in range(count):
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, **_codes(key))

    def hover(self, x, y):
        """Move the mouse to a position in the page."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self):
        """Return the picture of the page as numbers [height, width, 3]."""
        from PIL import Image

        data = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))

    def complaints(self):
        """Return the errors and warnings of the page, and its exceptions."""
        complaints = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                complaints.append(parameters["exceptionDetails"])
            elif event.get("method") == "Log.entryAdded":
                if parameters["entry"]["level"] in ("error", "warning"):
                    complaints.append(parameters["entry"])
            elif event.get("method") == "Runtime.consoleAPICalled":
                if parameters["type"] in ("error", "warning", "assert"):
                    complaints.append(parameters)
        return complaints

    def requests(self):
        """Return the addresses that the page asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]


def _codes(key):
    codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
    codes |= {"Tab": 9, "Home": 36}
    return {"code": key, "windowsVirtualKeyCode": codes[key]}
