# SPDX-License-Identifier: Apache-2.0
"""Workers that explain their share of the reports in the bucket and insert what they find. One that is killed is begun again."""

import os
import pathlib
import random
import signal
import subprocess
import threading
import time


class Worker:
    """One `dump-convert explain`, which another process of the same share follows if it is killed."""

    def __init__(self, number, names, place, work, tools, keys, symbols=()):
        self.number, self.names = number, names
        self.list = pathlib.Path(work) / f"share-{number}"
        self.list.write_text("".join(name + "\n" for name in names))
        self.lines = self.list.with_suffix(".jsonl")
        self.log = self.list.with_suffix(".log")
        self.command = [str(pathlib.Path(tools) / "dump-convert"), "explain", "--rows", "--jobs", "1", "--insert", place,
                        "--output", str(self.lines), "--resume", *(word for path in symbols for word in ("--symbols", path))]
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("AWS_", "EPITAPH_"))} | keys | {"no_proxy": "*"}
        self.kills = []
        self.process = None
        self.status = None

    def start(self):
        with open(self.list, "rb") as names, open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=names, stdout=log, stderr=log, env=self.environment, start_new_session=True)

    def done(self):
        return self.lines.read_bytes().count(b"\n") if self.lines.exists() else 0

    def kill(self):
        """SIGKILL to the worker and all that it started, as a power failure would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.kills.append(self.done())
        self.start()

    def finish(self, deadline):
        try:
            self.status = self.process.wait(max(deadline - time.monotonic(), 1))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.status = "killed at the end of its time"

    def words(self):
        return self.log.read_text(errors="replace")[-2000:]


def run_all(workers, victims, seed, seconds, has_rows):
    """Starts all, and kills the victims: each at a random moment of its first second, and again as soon as the tables have
    rows of its share (`has_rows`), if it is still at work: it may not have noted yet that they were inserted."""
    deadline = time.monotonic() + seconds
    for worker in workers:
        worker.start()
    killers = [threading.Thread(target=kill_twice, args=(worker, random.Random(seed + worker.number), deadline, has_rows))
               for worker in victims]
    for killer in killers:
        killer.start()
    for killer in killers:
        killer.join()
    for worker in workers:
        worker.finish(deadline)


def kill_twice(worker, chance, deadline, has_rows):
    time.sleep(chance.uniform(0.1, 1))
    if worker.process.poll() is None:
        worker.kill()
    while not has_rows(worker) and time.monotonic() < deadline and worker.process.poll() is None:
        time.sleep(0.02)
    if worker.process.poll() is None:
        worker.kill()
