# SPDX-License-Identifier: Apache-2.0
"""What `dump-convert` makes of a database: its reports, and what it says of processes without one."""

import collections
import json
import pathlib
import re
import subprocess

from compare_endings import running

END = re.compile(r"^(?:dump-convert: )?(?:a process|(\d+) processes) of \S+ (.*)$")

# Signals of the reports, None for one without a crash; the reports; how many processes ended well, and how many
# otherwise; all that was said; what is left in pending-dumps.
Answer = collections.namedtuple("Answer", "signals reports well unwell said left")


class Converter:
    def __init__(self, program):
        self.program = str(program)

    def call(self, *words):
        return subprocess.run([self.program, *map(str, words)], text=True, capture_output=True, timeout=120,
                              env=running.environment())

    def show(self, database, report):
        answer = self.call("show", "--json", "--no-symbols", "--database", database, report)
        return json.loads(answer.stdout) if answer.returncode == 0 else {}

    def ask(self, database):
        if not pathlib.Path(database).is_dir():
            return Answer([], [], 0, 0, "there is no database", [])
        said = self.call("process", "--all", "--database", database)
        listed = json.loads(self.call("list", "--json", "--database", database).stdout or '{"reports": []}')
        reports = [self.show(database, entry["id"]) for entry in listed["reports"]]
        signals = [signal_of(entry, report) for entry, report in zip(listed["reports"], reports)]
        well = unwell = 0
        for line in said.stderr.splitlines():
            match = END.match(line)
            if match and "ended well" in match[2]:
                well += int(match[1] or 1)
            elif match:
                unwell += int(match[1] or 1)
        left = [file.name for file in pathlib.Path(database, "pending-dumps").glob("*") if "@" in file.name]
        return Answer(signals, reports, well, unwell, said.stderr.strip(), left)


def signal_of(entry, report):
    listed, shown = entry.get("signal"), report.get("reason", {}).get("signal", {}).get("name")
    return shown if listed == shown else f"{listed} by the list, {shown} when shown"


def name(signal):
    return signal or "no signal"


def problems_of_number(answer, expected):
    """Reports that should not be there, and ones that are not, by their signals."""
    found, wanted = collections.Counter(answer.signals), collections.Counter(expected)
    false = [f"{count} false report{'s' * (count > 1)}: {name(signal)}" for signal, count in (found - wanted).items()]
    missing = [f"no report of {name(signal)}" for signal in (wanted - found).elements()]
    return false, missing
