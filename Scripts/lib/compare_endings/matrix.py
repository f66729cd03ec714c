# SPDX-License-Identifier: Apache-2.0
"""What daemons do with their descriptors, crossed with ways to end, each with Epitaph and without.

Per cell: every byte of the program's files and the wait status of each process are those of the run without Epitaph,
all processes end by themselves within 10 s, there is a report of each crash and no other, or what `dump-convert
process` says of that process admits that one is missing, and nothing it says is false."""

import collections
import os
import pathlib

from compare_endings import reports, running

NOBODY = 65534
SOURCES = ["guest", "hiding", "events", "files", "starting"]

# Name; the argument of the guest; how the warden starts it; who owns the database; whether it is another process in the
# end than the one that started Epitaph, and that one calls _exit(2).
Way = collections.namedtuple("Way", "name hide mode owner is_other_process", defaults=("plain", "root", False))
WAYS = [
    Way("none", "none"),
    Way("closefrom", "closefrom"),
    Way("close loop", "loop"),
    Way("dup2", "dup2"),
    Way("redirection", "append"),
    Way("stdio closed", "closed", "closed"),
    Way("daemonise", "daemon", is_other_process=True),
    Way("double fork", "double-fork", is_other_process=True),
    Way("drop, root's", "drop"),
    Way("drop, nobody's", "drop", owner="nobody"),
    Way("drop + close", "drop-close"),
    Way("drop + fork", "drop-fork", is_other_process=True),
    Way("chroot", "chroot"),
    Way("chroot + close", "chroot-close"),
    Way("process 1", "none", "namespace"),
    Way("1 + closefrom", "closefrom", "namespace"),
]

# The signals of the reports; whether exit(3), return or epitaph_stop ended it well.
Event = collections.namedtuple("Event", "name crashes ends_well")
EVENTS = [
    Event("segv", ["SIGSEGV"], False),
    Event("abort", ["SIGABRT"], False),
    Event("exit", [], True),
    Event("_exit", [], False),
    Event("return", [], True),
    Event("stop", [], True),
    Event("live", [None], True),
    Event("recover", [], True),
    Event("recover-segv", ["SIGSEGV"], False),
    Event("child", ["SIGSEGV"], True),
    # Of another user, if the process still is root.
    Event("worker", ["SIGSEGV"], True),
]
# A supervisor and its worker, both process 1: the worker ends, then the supervisor crashes.
NESTED = [
    Event("nested-segv", ["SIGSEGV", "SIGSEGV"], False),
    Event("nested-exit", ["SIGSEGV"], False),
    Event("nested-_exit", ["SIGSEGV"], False),
    Event("raw-nested-segv", ["SIGSEGV", "SIGSEGV"], False),
    Event("raw-nested-exit", ["SIGSEGV"], False),
    Event("raw-nested-_exit", ["SIGSEGV"], False),
]

# Cells in which one report may be missing without a word: the file for it can neither be made by nobody in root's
# directory, nor found from a root directory without it. The first crash of a process needs no new file.
LIMITS = {(way, event) for way in ("drop, root's", "drop + close", "drop + fork", "chroot + close")
          for event in ("child", "worker")}
# A repaired fault of a forked child that takes a spare file is reported: docs/limits.md.
REPORTED = {("drop + fork", "recover"): ["SIGSEGV"]}

Cell = collections.namedtuple("Cell", "way event")
Result = collections.namedtuple("Result", "cell mark problems")


def cells():
    for way in WAYS:
        for event in [*EVENTS, *(NESTED if way.mode == "namespace" and way.hide == "none" else [])]:
            yield Cell(way, event)


class Matrix:
    def __init__(self, runner, converter, guests):
        self.runner = runner
        self.converter = converter
        self.guests = guests

    def run(self, cell, is_with):
        """Returns the ending, the program's files, and what became of the database."""
        directory = self.runner.directory()
        for name, mode in {"files": 0o777, "jail": 0o755}.items():
            (directory / name).mkdir()
            (directory / name).chmod(mode)
        database = directory / "db"
        if cell.way.owner == "nobody":
            for path in (database, database / "pending-dumps"):
                path.mkdir(mode=0o700)
                os.chown(path, NOBODY, NOBODY)
        words = [self.guests[is_with], database, cell.way.hide, cell.event.name, directory / "jail"]
        ending = self.runner.run(words, directory, mode=cell.way.mode)
        files = running.read_tree(directory / "files")
        refusal = files.pop("refusals", b"").decode().strip()
        answer = self.converter.ask(database) if is_with else None
        self.runner.discard(directory)
        return ending, files, answer, refusal

    def judge(self, cell):
        expected, own, _, _ = self.run(cell, False)
        if expected.is_hung or expected.first == "exit 64":
            raise RuntimeError(f"{cell.way.name} x {cell.event.name} without Epitaph: {expected.all}")
        ending, files, answer, refusal = self.run(cell, True)
        problems = [f"{name} is not as without Epitaph: {difference(own.get(name), files.get(name))}"
                    for name in sorted({*own, *files}) if own.get(name) != files.get(name)]
        if ending.all != expected.all:
            problems.append(f"ended with {', '.join(ending.all)}; without Epitaph {', '.join(expected.all)}")
        crashes = REPORTED.get((cell.way.name, cell.event.name), cell.event.crashes)
        false, missing = reports.problems_of_number(answer, crashes)
        problems += false + problems_of_ends(cell, answer, bool(missing))
        is_said = refusal or answer.unwell > cell.way.is_other_process
        is_limit = len(missing) == 1 and (cell.way.name, cell.event.name) in LIMITS
        if not is_said and not is_limit:
            problems += [f"{sentence}, and nothing says so" for sentence in missing]
        problems += [f"{file} waits for an owner that is gone" for file in answer.left]
        if problems and (refusal or answer.said):
            problems.append(f"said: {' | '.join(filter(None, [refusal, answer.said]))}")
        mark = "right" if not missing else "said" if is_said else "limit"
        return Result(cell, "WRONG" if problems else mark, problems)


def difference(own, found):
    if own is None or found is None:
        return "it is there only " + ("with Epitaph" if own is None else "without Epitaph")
    place = next((i for i, (one, other) in enumerate(zip(own, found)) if one != other), min(len(own), len(found)))
    return f"{len(found)} bytes instead of {len(own)}, different from byte {place} on"


def problems_of_ends(cell, answer, is_missing):
    """The ends of processes that are reported wrongly."""
    ends_well, is_other = cell.event.ends_well, cell.way.is_other_process
    problems = []
    if ends_well is False and answer.well:
        problems.append(f"{answer.well} said to have ended well")
    # The one that started Epitaph and forked called _exit(2); one whose report is missing may be admitted.
    may_be_unwell = is_other or cell.event.name == "_exit" or is_missing
    if answer.unwell and not may_be_unwell:
        problems.append(f"{answer.unwell} said to have ended without a record")
    if ends_well and not answer.well and not is_other:
        problems.append("it ended well, and that is not said")
    return problems


def table(results):
    """A row for each way, a column for each event."""
    columns = {event.name: max(len(event.name), 5) for event in EVENTS}
    rows, nested = {}, []
    for result in results:
        if result.cell.event in NESTED:
            nested.append(f"{result.cell.way.name}, {result.cell.event.name:18} {result.mark}")
        else:
            rows.setdefault(result.cell.way.name, {})[result.cell.event.name] = result.mark
    lines = [f"{'':15} " + " ".join(f"{name:>{width}}" for name, width in columns.items())]
    for name, row in rows.items():
        lines.append(f"{name:15} " + " ".join(f"{row.get(event, '-'):>{width}}" for event, width in columns.items()))
    return "\n".join([*lines, *nested])
