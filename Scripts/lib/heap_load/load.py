# SPDX-License-Identifier: Apache-2.0
"""Daemons under load with sampled allocations: each has to answer everything, to end as it does without, and to leave no
report, while allocations are sampled.

The load is a series of bursts, with pauses, so that tool and daemon together take at most a share of a processor."""

import collections
import os
import pathlib
import pwd
import signal
import subprocess
import time

from compare_endings import building, reports, running
from heap_load import counting, daemons

LIFE_S = 30
READY_S = 120
END_S = 60
# As many blocks at once as may be chosen, so that those that are kept for long leave room for others.
BLOCKS = "1024"
RATES = ("1/1", "1/100")

Life = collections.namedtuple("Life", "requests sampled status problems")
Result = collections.namedtuple("Result", "requests sampled lives problems")


def wait(service):
    """Longer than for a daemon of which nothing is sampled."""
    end = time.monotonic() + READY_S
    while "no answer" in (said := service.work()) and time.monotonic() < end:
        pass
    return said


class Load:
    def __init__(self, work, tools, seconds, share):
        self.work, self.seconds, self.share = pathlib.Path(work), seconds, share
        self.converter = reports.Converter(pathlib.Path(tools) / "dump-convert")
        self.preload = building.Workshop(work).installed()
        self.runner = running.Runner(None, work)
        self.shared = self.runner.directory()
        daemons.ExampleDaemon.program = str(pathlib.Path(tools).resolve() / "example-daemon")

    def database(self, kind):
        path = self.runner.directory()
        path.chmod(0o700)
        if kind.owner:
            os.chown(path, pwd.getpwnam(kind.owner).pw_uid, -1)
        return path

    def variables(self, service, database, rate):
        return {**getattr(service, "variables", {}), **building.preloading(self.preload, rate), "EPITAPH_HEAP_BLOCKS": BLOCKS,
                "EPITAPH_DATABASE": str(database), "EPITAPH_EXECUTABLE": pathlib.Path(service.program).name}

    def begin(self, service, variables):
        words = [str(word) for word in service.words()]
        with open(service.directory / "output", "wb") as output, open(service.directory / "errors", "wb") as errors:
            # For the daemon alone, not for a program that only starts it.
            return subprocess.Popen(words[:4] * ("setpriv" in words[0]) + [
                "/usr/bin/env", *(f"{name}={value}" for name, value in variables.items())] +
                words[4 * ("setpriv" in words[0]):], cwd=service.directory, stdin=subprocess.DEVNULL, stdout=output,
                stderr=errors, env=running.environment(), start_new_session=True)

    def end(self, service, process):
        process.send_signal(signal.SIGINT if service.owner else signal.SIGTERM)
        return process.wait(END_S)

    def play(self, kind, rate, seconds):
        """The end of a daemon, and what it answered, with a rate or without the libraries."""
        database = self.database(kind)
        service = kind(self.runner.directory(), self.shared)
        variables = self.variables(service, database, rate) if rate else getattr(service, "variables", {})
        counter = counting.Counter(self.preload.parent / "libepitaph-heap.so")
        process = self.begin(service, variables)
        # What a daemon's short-lived processes count is seen only meanwhile.
        service.preloading, service.look = variables, lambda: counter.look(process.pid)
        requests, problems = 0, []
        try:
            if "no answer" in (said := wait(service)):
                problems.append(said)
            began, used_before = time.monotonic(), counting.processor_s(process.pid)
            counter.look(process.pid)
            while not problems and (requests == 0 or time.monotonic() < began + seconds):
                requests += service.burst()
                counter.look(process.pid)
                due = began + (counting.processor_s(process.pid) - used_before) / self.share
                time.sleep(max(0, due - time.monotonic()))
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
            problems.append(f"after {requests} requests: {error}")
        finally:
            status = self.end(service, process)
        if rate:
            problems += self.problems(service, rate, database, counter, process.pid)
        return Life(requests, counter.total(process.pid), status, problems)

    def problems(self, service, rate, database, counter, pid):
        problems = []
        for place in (database, service.directory / "own"):
            answer = self.converter.ask(place)
            if answer.signals:
                problems.append(f"reports of {answer.signals}: {answer.said[-500:]}")
        said = (service.directory / "errors").read_text(errors="replace")
        problems += [line for line in said.splitlines() if line.startswith("epitaph:")]
        if counter.total(pid) == 0:
            problems.append("no allocation was sampled")
        elif rate != RATES[0] and not counter.grew():
            problems.append("no allocation was sampled under load")
        return problems

    def judge(self, kind, rate):
        """In lives of some seconds: with every allocation sampled, the pool is soon full of blocks that stay until the end."""
        plain = self.play(kind, None, 0)
        end = time.monotonic() + self.seconds
        requests = sampled = lives = 0
        problems = list(plain.problems)
        while not problems and (lives == 0 or time.monotonic() < end):
            life = self.play(kind, rate, min(LIFE_S, end - time.monotonic()))
            requests, sampled, lives = requests + life.requests, sampled + life.sampled, lives + 1
            problems = list(life.problems)
            if life.status != plain.status:
                problems.append(f"ended with {life.status}, without with {plain.status}")
        return Result(requests, sampled, lives, problems)


def run_all(work, tools, seconds, only, share):
    """True if nothing was wrong."""
    load = Load(work, tools, seconds, share)
    wrong = 0
    for kind in daemons.SERVICES:
        for rate in RATES:
            if only not in kind.name:
                continue
            found = load.judge(kind, rate)
            wrong += bool(found.problems)
            print(f"{kind.name:15} {rate:6} {found.requests:9,} requests {found.sampled:9,} sampled {found.lives:3} lives  "
                  f"{'; '.join(found.problems) or 'no report'}", flush=True)
    return wrong == 0
