# SPDX-License-Identifier: Apache-2.0
"""One test, or a few, for each wait of the crash path, for what handlers and timers of the program may do to it, and
for what it may do to them. The expected ending is that of the same program without Epitaph; the reports are counted."""

import collections
import platform
import re
import shutil

from compare_endings import reports

SOURCES = ["waits/waits", "waits/common", "waits/filter_ways", "waits/handler_ways", "waits/live_ways",
           "waits/memory_ways", "waits/place_ways", "waits/thread_ways", "waits/timer_ways", "starting"]
ALLOCATOR_SOURCES = ["own_allocator", "starting"]

SEGV, ABRT, BUS, QUIT, LIVE = "SIGSEGV", "SIGABRT", "SIGBUS", "SIGQUIT", None

# The way and argument of the program; the signals of its reports; the seconds it may take. Then, where they matter: how
# it ends where that cannot be seen without Epitaph; threads that are in each report; milliseconds that a live dump may
# hold up its process; what the next launch has to learn when there is no report of a crash.
Row = collections.namedtuple("Row", "way argument crashes seconds ending threads standstill says_missing program",
                             defaults=(None, None, None, False, "waits"))
Result = collections.namedtuple("Result", "row seconds mark problems")

# The capture ends after 5 s and the other threads have half a second; a machine may be busy.
QUICK, BOUNDED = 3.5, 8

CLOCKS = ("realtime", "monotonic", "boottime", "process-cpu", "thread-cpu")
# What comes of handlers of the program by the moment Epitaph came: before ("first"), after ("last"), before and without
# virtual actions ("displaced"), and then again with epitaph_handlers_check ("retake"). One that displaced Epitaph's and
# passes the signal on to no other handler costs the report.
HANDLERS = {
    "big": [], "restore": [SEGV], "resethand": [], "nodefer": [], "default": [], "jump": [], "chain": [SEGV],
    "onstack": [],
}


def rows(patience=1):
    yield Row("page-crash", "", [SEGV], BOUNDED)
    yield Row("page-live", "", [LIVE], BOUNDED, standstill=6000)
    yield Row("transient", "", [BUS], BOUNDED)
    yield Row("no-clock", "crash", [SEGV], BOUNDED)
    yield Row("no-clock", "live", [LIVE], BOUNDED)
    for end in ("crash", "live"):
        crashes = [SEGV] if end == "crash" else [LIVE]
        yield Row("unanswered", end, crashes, QUICK, standstill=1500)
        yield Row("no-queue", end, crashes, QUICK, threads=4 if end == "crash" else 5, standstill=1500)
        for clock in CLOCKS:
            for target in ("to-process", "to-thread"):
                yield Row("profiled", f"{clock},{target},{end}", crashes * (1 if end == "crash" else 3), QUICK,
                          threads=21, standstill=1500)
    for delay in (200, 500, 1000, 2000, 5000):
        yield Row("cancelled", str(delay), [SEGV], QUICK)
    yield Row("among-dumps", "", [SEGV], QUICK)
    yield Row("stop-start", "1000", [], 60)
    # The child shares its handlers with the parent: what the kernel resets for the one is reset for the other. So the
    # parent's crash of the same signal is lost, docs/limits.md.
    yield Row("sharing", "segv", [SEGV], QUICK, says_missing=True)
    yield Row("sharing", "abort", [SEGV, ABRT], QUICK)
    if platform.machine() == "x86_64":
        yield Row("alignment", "", [SEGV], QUICK, threads=4)
    yield Row("own-allocator", "", [], QUICK, program="own-allocator")
    yield Row("same-place", "", [SEGV], QUICK)
    yield Row("small-stack", "", [SEGV], QUICK)
    yield from rows_of_handlers(patience)
    for restart in ("restart", "fail"):
        yield Row("interrupted", f"{restart},enabled", [], QUICK)
        yield Row("interrupted", f"{restart},disabled", [], QUICK)
    for action in ("kill", "trap", "errno"):
        for threads in ("one-thread", "all-threads"):
            for end, crashes in {"segv": [SEGV], "abort": [ABRT], "exit": []}.items():
                yield Row("strict", f"{action},{threads},{end}", crashes, BOUNDED)


def rows_of_handlers(patience):
    for kind, chained in HANDLERS.items():
        # The program that jumps out of its handler ends well.
        crashes = [] if kind == "jump" else [SEGV]
        yield Row("handler", f"{kind},last", crashes, QUICK)
        yield Row("handler", f"{kind},first", crashes, QUICK)
        is_lost = not chained and kind not in ("nodefer", "jump")
        yield Row("handler", f"{kind},displaced", chained, QUICK, says_missing=is_lost)
        yield Row("handler", f"{kind},retake", crashes, QUICK)
    # Without Epitaph it never ends, so with it neither; of the same fault, again and again, there is one report. That it is
    # the same is told by the processor's time, which counts what an emulated one waits for its host.
    for order in ("last", "first", "retake") if patience == 1 else ():
        yield Row("handler", f"endless,{order}", [SEGV], QUICK, ending="hung")


def programs(workshop):
    return {"waits": workshop.pair("waits", SOURCES), "own-allocator": workshop.pair("own-allocator", ALLOCATOR_SOURCES)}


def name(row):
    return f"{row.way} {row.argument}"


class Waits:
    def __init__(self, runner, converter, guests, patience=1, keep=None):
        """With `keep` no report is judged: the databases are left there, by name."""
        self.runner = runner
        self.converter = converter
        self.guests = guests
        self.patience = patience
        self.keep = keep

    def run(self, row, is_with):
        directory = self.runner.directory()
        database = directory / "db"
        words = [self.guests[row.program][is_with], database, row.way, row.argument]
        ending = self.runner.run(words, directory, row.seconds * self.patience)
        output, errors = ((directory / name).read_text(errors="replace") for name in ("output", "errors"))
        answer = self.ask(row, database) if is_with else None
        self.runner.discard(directory)
        return ending, output, errors, answer

    def ask(self, row, database):
        if not self.keep:
            return self.converter.ask(database)
        if database.is_dir():
            shutil.copytree(database, self.keep / name(row))
        return None

    def judge(self, row):
        ending, output, errors, answer = self.run(row, True)
        problems = []
        if row.ending:
            if ending.first != row.ending:
                problems.append(f"ended with {', '.join(ending.all)}, not {row.ending}")
        else:
            expected, own, complaint, _ = self.run(row, False)
            if expected.is_hung or expected.first in ("exit 64", "exit 69"):
                raise RuntimeError(f"{row.way} {row.argument} without Epitaph: {expected.all} {complaint}")
            if ending.all != expected.all:
                problems.append(f"ended with {', '.join(ending.all)}; without Epitaph {', '.join(expected.all)}")
            if output != own:
                problems.append(f"said {output!r}; without Epitaph {own!r}")
        problems += problems_of_standstill(row, errors, self.patience)
        if answer:
            problems += problems_of_reports(row, answer)
        said = answer.said if answer else ""
        if problems and (errors.strip() or said):
            problems.append(f"said: {errors.strip()[-300:]} | {said[-300:]}")
        return Result(row, ending.seconds, "WRONG" if problems else "right", problems)


def problems_of_reports(row, answer):
    false, missing = reports.problems_of_number(answer, row.crashes)
    problems = false + missing
    for report in answer.reports:
        count = report.get("threadCount", 0)
        if row.threads and count != row.threads:
            problems.append(f"{count} threads in the report, not {row.threads}")
    if row.says_missing and answer.unwell != 1:
        problems.append("a crash was taken away by a handler, and nothing says that a process ended without a record")
    # One that calls _exit(2) in its handler is reported as such.
    if not row.says_missing and answer.unwell > ("nodefer" in row.argument):
        problems.append(f"{answer.unwell} said to have ended without a record")
    return problems + [f"{file} waits for an owner that is gone" for file in answer.left]


def problems_of_standstill(row, errors, patience):
    match = re.search(r"^standstill (\d+)$", errors, re.MULTILINE)
    if row.standstill is None or match is None or int(match[1]) <= row.standstill * patience:
        return []
    return [f"the process stood still for {match[1]} ms"]


def judge_kept(converter, directory):
    """What is wrong with the reports that another machine kept, by name."""
    for row in rows():
        if (directory / name(row)).is_dir():
            yield name(row), problems_of_reports(row, converter.ask(directory / name(row)))


def table(results):
    lines = [f"{'':13} {'':32} {'reports':>8} {'seconds':>8}"]
    for result in results:
        lines.append(f"{result.row.way:13} {result.row.argument:32} {len(result.row.crashes):8} {result.seconds:8.2f}  "
                     f"{result.mark}")
    return "\n".join(lines)
