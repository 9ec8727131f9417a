"""A client of `lethe worker`: one long-lived process for each process of Python.

    from lethe_worker import Worker
    worker = Worker(["lethe", "worker", "--model", "en"])
    worker.clean({"id": "7", "text": "Seen by Dr. Vega."})   # {"id": "7", "text": "Seen by [DOCTOR]."}

Spark's executors import this module (see deidentify.py). Keep it a module: functions of the main script would be sent to
each task anew, and would start a new process there. It needs nothing but the standard library.
"""

import json
import socket
import subprocess
import sys
import threading
from queue import Queue


class WorkerFailed(Exception):
    """The worker could not be started, or has ended. The message is one line."""


class Worker:
    """A running `lethe worker`, for one thread at a time. Its messages go to the stderr of this process, in Spark that of the
    executor."""

    def __init__(self, command):
        self.command = list(command)
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise WorkerFailed(f"{socket.gethostname()}: {self.command[0]}: cannot be started: {error.strerror}") from None
        self.requests = Queue()
        self.message = ""  # the last message of the worker
        threading.Thread(target=self._write, daemon=True).start()
        self.messages = threading.Thread(target=self._pass_on_messages, daemon=True)
        self.messages.start()
        self.hello = self.clean({"hello": True})["hello"]

    def clean(self, request):
        """Sends a request and returns the answer."""
        self.send([request])
        return self.receive()

    def send(self, requests):
        """Sends requests without waiting. Call receive once for each of them."""
        self.requests.put(requests)

    def receive(self):
        """Returns the answer to the next request."""
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            code = self.process.wait()
            self.messages.join(timeout=1)
            raise WorkerFailed(f"{socket.gethostname()}: {' '.join(self.command[:2])} ended with exit code {code}: {self.message or 'no message'}")
        return json.loads(line)

    def _write(self):
        # A thread writes, because a program that only writes while the worker only writes would wait forever.
        to = self.process.stdin
        while True:
            try:
                for request in self.requests.get():
                    to.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
                to.flush()
            except OSError:  # the worker has ended, so receive fails
                return

    def _pass_on_messages(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace")
            sys.stderr.write(text)
            sys.stderr.flush()
            if text.startswith("lethe: ") or text.startswith("panic: "):
                self.message = text.strip()


_workers = {}


def worker(command):
    """Returns the worker of this process with a command, and starts it if there is none or if it has ended."""
    key = tuple(command)
    if key not in _workers or _workers[key].process.poll() is not None:
        _workers[key] = Worker(command)
    return _workers[key]


def discard(command):
    """Ends the worker of this process with a command, because its answers no longer belong to the next requests."""
    if tuple(command) in _workers:
        _workers.pop(tuple(command)).process.kill()
