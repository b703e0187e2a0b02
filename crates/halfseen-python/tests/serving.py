"""Run the program's server of a study, for tests."""

import contextlib
import os
import re
import subprocess
import threading

import pytest

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")


def has_server():
    """Return False if there is a program, and it was built without the server."""
    if not PROGRAM:
        return True
    done = subprocess.run([PROGRAM, "study", "serve", "any", "--openapi"], capture_output=True, timeout=60)
    return done.returncode == 0


def program(*line):
    """Return what the program prints."""
    done = subprocess.run([PROGRAM, *map(str, line)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def admitted(path, name, role):
    """Admit somebody, and return the token."""
    return program("study", "people", path, "--admit", name, "--role", role, "--quiet").strip()


class Server:
    """A server of a study; it can be killed, and started again at the same address."""

    def __init__(self, path, listen="127.0.0.1:0"):
        self.path, self.listen, self.lines = path, listen, []
        self.start()

    def start(self):
        line = [PROGRAM, "study", "serve", str(self.path), "--listen", self.listen]
        self.process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.url = None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"served on (http://[^;\s]+)", line)
            if found:
                self.url = found[1]
                break
        assert self.url, self.lines
        self.listen = self.url.removeprefix("http://")
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def end(self, how=subprocess.Popen.terminate):
        how(self.process)
        self.process.wait(30)
        self.reader.join(30)
        self.process.stderr.close()


@contextlib.contextmanager
def served(path):
    """Serve a study while a test runs."""
    server = Server(path)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end()
