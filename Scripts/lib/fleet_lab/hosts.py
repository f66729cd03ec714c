# SPDX-License-Identifier: Apache-2.0
"""Machines that are none: each has a host name of its own (a UTS namespace, unshare(1)), a database, and programs that crash."""

import collections
import os
import pathlib
import random
import subprocess

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
# Programs, how each of them dies, and of which signal.
DEATHS = {
    "CEpitaphVictim": {
        "null-write": "SIGSEGV", "abort": "SIGABRT", "illegal-instruction": "SIGILL", "divide-by-zero": "SIGFPE",
        "bus-error": "SIGBUS", "breakpoint": "SIGTRAP", "double-free": "SIGABRT", "stack-overflow": "SIGSEGV"},
    "EpitaphVictim": {"fatal-error": None, "index": None, "unwrap": None, "try": None},
}

# What comes before a program's own arguments.
SUBCOMMANDS = {"CEpitaphVictim": [], "EpitaphVictim": ["swift"]}

Crash = collections.namedtuple("Crash", "host program way signal")


class Host:
    """One machine. What it does is done in its own name."""

    def __init__(self, number, work, tools, destination, keys):
        self.name = f"host-{number:02}"
        self.database = pathlib.Path(work) / self.name / "db"
        self.database.parent.mkdir(parents=True)
        self.tools = pathlib.Path(tools)
        self.destination = f"{destination}/{self.name}/{{uuid}}"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("AWS_", "EPITAPH_"))} | keys | {"no_proxy": "*"}
        self.chance = random.Random(number)
        self.crashes = []

    def run(self, *command, seconds=300):
        return subprocess.run(
            ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', self.name, *command], check=False,
            env=self.environment, timeout=seconds, **QUIET)

    def crash(self, count):
        """Real processes, which die one after the other."""
        for _ in range(count):
            program = self.chance.choice(list(DEATHS))
            way = self.chance.choice(list(DEATHS[program]))
            ended = self.run(str(self.tools / program), *SUBCOMMANDS[program], str(self.database), way)
            # The shell was replaced, so this is how the program died.
            if ended.returncode >= 0:
                raise SystemExit(f"fleet-lab: {program} {way} ended with {ended.returncode}: {ended.stdout}")
            self.crashes.append(Crash(self.name, program, way, DEATHS[program][way]))

    def report(self):
        """Dumps become reports, and these objects of the bucket; how many requests were needed is the uploader's affair."""
        # A report says which machine it is of if it is told so, as operators do with this annotation.
        for command in (["process", "--annotation", f"server_name={self.name}"], ["upload", "--once", "--reports-per-min", "0", "--url", self.destination]):
            ended = self.run(str(self.tools / "dump-convert"), *command, "--database", str(self.database))
            if ended.returncode != 0:
                raise SystemExit(f"fleet-lab: {self.name}: {command[0]} ended with {ended.returncode}: {ended.stdout}")
