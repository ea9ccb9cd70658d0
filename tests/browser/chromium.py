"""A headless Chromium that a test talks to over two pipes, in the DevTools protocol."""

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 60  # for one answer, on a busy machine, too


class PageError(Exception):
    """What a script of the page threw."""


def pipe():
    """(reader, writer), above the numbers that Chromium wants its own at."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high


class Chromium:
    """One tab. Chromium reads commands from descriptor 3 and answers to 4, each message ended by a zero byte."""

    def __init__(self, folder):
        commands, self.to = pipe()
        self.answers, answers = pipe()
        words = [PROGRAM, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile",
                 "--no-first-run", "--disable-breakpad", "--disable-gpu", "--disable-dev-shm-usage",
                 "--disable-background-networking", "--disable-component-update", "about:blank"]
        if os.geteuid() == 0:
            words.insert(1, "--no-sandbox")  # which root cannot have
        with open(os.path.join(folder, "chromium.log"), "wb") as log:
            self.process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", *words],
                                            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True)
        os.close(commands)
        os.close(answers)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def message(self, deadline):
        """The next message of Chromium."""
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"Chromium is silent after {SECONDS} s; it said before: {self.events[-5:]}")
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise EOFError("Chromium has ended; its output is in chromium.log")
            self.buffer += part
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        """The result of a command."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            message = self.message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise PageError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def open(self, url):
        """Show a page, whose scripts have run then."""
        self.events.clear()
        failed = self.call("Page.navigate", url=url).get("errorText")
        if failed:
            raise PageError(f"{url}: {failed}")
        deadline = time.monotonic() + SECONDS
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message(deadline))
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                raise PageError(said(event["params"]["exceptionDetails"]))

    def run(self, script):
        """The value of an expression; of a promise, what it becomes."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise PageError(said(result["exceptionDetails"]))
        return result["result"].get("value")

    def close(self):
        """End the process and its children."""
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, EOFError, TimeoutError, PageError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)


def said(details):
    """The text of an exception."""
    thrown = details.get("exception", {})
    return thrown.get("description") or str(thrown.get("value", details.get("text")))
