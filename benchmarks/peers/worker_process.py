# SPDX-License-Identifier: MIT
"""The process of one implementation, which answers orders: one line of JSON each way."""

import json
import os
import pathlib
import select
import subprocess
import sys

#: Longer than any kernel takes anywhere, so that an implementation that hangs does not hold up the others.
ANSWER_SECONDS = 180


class Failed(Exception):
    pass


class WorkerProcess:
    """Sleeps between its turns. The script's first line says that it is ready."""

    def __init__(self, script: pathlib.Path, arguments: list[str], environment: dict[str, str]):
        self.process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self.version = self.answer()["ready"]

    def answer(self) -> dict:
        ready, _, _ = select.select([self.process.stdout], [], [], ANSWER_SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.process.kill()
            raise Failed("no answer" if not ready else f"ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def ask(self, **order) -> dict:
        if self.process.poll() is not None:
            raise Failed("has ended")
        self.process.stdin.write(json.dumps(order) + "\n")
        return self.answer()

    def close(self):
        self.process.kill()
        self.process.wait()
