# SPDX-License-Identifier: Apache-2.0
"""Debian's daemons with libepitaph-preload.so: the stacks of all threads in the report of a SIGABRT are those that gdb found in
the process a moment before, while it waited for work. In code that the program generated (java) gdb guesses, so what called
that code is not compared."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import time

from compare_endings import building, daemons, preloaded, repairing

# Start, end and inode, proc_pid_maps(5): none for what a program generated, nor for the kernel's [vdso], which has a name.
CODE = re.compile(r"^(\w+)-(\w+) ..x. \w+ \S+ (\d+) *(.*)$", re.MULTILINE)
# What a signal finds of a call that is made again: its instruction instead of the next one.
SYSTEM_CALL_BYTES = 2
# Until all threads that a daemon starts by itself wait for work, and until they wait again after gdb.
STARTING_S = 2
SETTLING_S = 0.2
LOOKS = 10
# Under a filter that allows no call a report has but the crashing thread.
FILTERED = {name for name, _ in daemons.Daemons.deadly_filters}
SERVICES = [kind for kind in preloaded.SERVICES
            if not issubclass(kind, repairing.Repairing) and kind.name not in FILTERED]


def is_within(frame, ranges):
    return any(start <= frame.address < end for start, end in ranges)


def waits_at(pid, thread):
    """Where a thread calls the kernel, proc_pid_syscall(5); None if it does not, or has ended."""
    try:
        words = pathlib.Path(f"/proc/{pid}/task/{thread}/syscall").read_text().split()
    except FileNotFoundError:
        return None
    return None if words[0] == "running" else int(words[-1], 16)


def is_as_seen(pid, stacks):
    """gdb interrupts the thread of a pool that waits for work (uwsgi's), and another one may wait there afterwards."""
    waiting = [(waits_at(pid, thread), stack.frames) for thread, stack in stacks.items()]
    return all(not frames or address is None or abs(frames[0].address - address) <= SYSTEM_CALL_BYTES
               for address, frames in waiting)


class Code:
    """Where a process may execute."""

    def __init__(self, pid):
        found = CODE.findall(pathlib.Path(f"/proc/{pid}/maps").read_text())
        self.all = [(int(start, 16), int(end, 16)) for start, end, _, _ in found]
        self.generated = [(int(start, 16), int(end, 16)) for start, end, inode, name in found if inode == "0" and not name]

    def cut(self, stacks):
        """Leaves the frames up to the first in code without a file, with it."""
        for stack in stacks.values():
            generated = (i for i, frame in enumerate(stack.frames) if is_within(frame, self.generated))
            stack.frames = stack.frames[:next(generated, len(stack.frames)) + 1]


def compare_stacks():
    """The script of that name, which reads and compares stacks."""
    loader = importlib.machinery.SourceFileLoader("compare_stacks", str(building.ROOT / "Scripts/compare-stacks"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_stacks", loader))
    loader.exec_module(module)
    return module


class Stacks:
    def __init__(self, runner, preload, tools, shared):
        self.runner = runner
        self.preload = preload
        self.check = tools / "EpitaphCheck"
        self.shared = shared
        self.scripts = compare_stacks()
        self.gdb_script = shared / "frames.py"
        self.gdb_script.write_text(self.scripts.GDB_SCRIPT)

    def gdb(self, pid, code):
        """gdb's frames of a process that lives on, as far as they are in code: elsewhere it makes them up."""
        output = subprocess.run(
            ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "set backtrace past-main on",
             "-ex", "set print demangle on", "-p", str(pid), "-ex", f"source {self.gdb_script}", "-ex", "detach"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120).stdout
        found = self.scripts.stacks(output)
        for stack in found.values():
            stack.frames = [frame for frame in stack.frames if is_within(frame, code.all)]
        return found

    def read(self, dump):
        words = [self.check, "stacks", dump]
        return self.scripts.stacks(subprocess.run(words, capture_output=True, text=True, timeout=120).stdout)

    def run(self, kind):
        """Our stacks and gdb's, by thread."""
        directory = self.runner.directory()
        database = daemons.make_database(directory, kind)
        service = kind(directory, self.shared)
        variables = [f"LD_PRELOAD={self.preload}", f"EPITAPH_DATABASE={database}", f"EPITAPH_EXECUTABLE={kind.program}"]
        began = time.monotonic()
        warden = self.runner.begin(["/usr/bin/env", *variables, *service.words()], directory, 4 * daemons.SECONDS)
        first = int(warden.stdout.readline().split()[1])
        service.work()
        time.sleep(STARTING_S)
        victim = service.victim(first)
        code = Code(victim)
        for _ in range(LOOKS):
            theirs = self.gdb(victim, code)
            time.sleep(SETTLING_S)
            if is_as_seen(victim, theirs):
                break
        os.kill(victim, signal.SIGABRT)
        service.after(first, "SIGABRT")
        self.runner.finish(warden, 4 * daemons.SECONDS, began)
        # A worker that may not write in the database leaves its dump under the name that it was given.
        found = [self.read(path) for path in database.rglob("*@*") if path.is_file()]
        ours = next((stacks for stacks in found if victim in stacks), {})
        code.cut(ours)
        code.cut(theirs)
        self.runner.discard(directory)
        self.runner.discard(database)
        return ours, theirs

    def judge(self, kind):
        """The number of threads, what was counted, and what is wrong."""
        ours, theirs = self.run(kind)
        for thread, stack in ours.items():
            own, other = stack.frames, theirs.get(thread, self.scripts.Stack()).frames
            if own and other and other[0].address - own[0].address == SYSTEM_CALL_BYTES:
                own[0].address = other[0].address
        count = self.scripts.compare_threads(kind.name, ours, dict(theirs))
        is_right = ours and count.invented == 0 and count.agreed >= self.scripts.BAR * count.total
        return len(theirs), count, [] if is_right else count.complaints or ["no report"]


def table(results):
    lines = [f"{'daemon':17} {'threads':>7} {'frames':>6} {'agree':>6} {'lacking':>7} {'invented':>8}"]
    for kind, (threads, count, _) in results:
        lines.append(f"{kind.name:17} {threads:7} {count.total:6} {count.agreed:6} {count.lacking:7} {count.invented:8}")
    return "\n".join(lines)
