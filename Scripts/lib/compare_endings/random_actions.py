# SPDX-License-Identifier: Apache-2.0
"""Programs of signal actions that a seed chooses, Tests/GuestDummy/random: what each prints, which is each step and each
call of a handler, and how it ends are the same without Epitaph, with the preloaded library, and linked with the shared
library and the archive. A seed that differs shows the first line that does."""

import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time

from compare_endings import building, running

SECONDS = 20
OUTPUT_BYTES = 1 << 20
SOURCES = [f"random/{name}" for name in
           ("actions", "chance", "faults", "handling", "playing", "sending", "telling")]


class Programs:
    """How each way is started: words without the seed and database, and the environment."""

    def __init__(self, workshop):
        preload = workshop.installed()
        library = preload.parent.parent
        objects = workshop.objects(SOURCES)
        plain = workshop.link("random-plain", [*objects, *workshop.objects(["absent"])])
        shared = workshop.link("random-shared", [*objects, library / "libepitaph.so"], [f"-Wl,-rpath,{library}:$ORIGIN/epitaph/lib"])
        archive = workshop.link("random-archive", [*objects, library / "libepitaph.a"])
        self.without = (plain, None)
        self.ways = {"preload": (plain, preload), "shared": (shared, None), "archive": (archive, None)}


def answer(request, process):
    """Sends the signal that the program asked for, if it is still in its process group, then says so."""
    pid, number, has_value, byte = map(int, request[1:].split())
    with contextlib.suppress(ProcessLookupError):
        if os.getpgid(pid) == process.pid:
            if has_value:
                # kill(1) of procps sends with sigqueue(3).
                subprocess.run(["/bin/kill", "-q", "7", f"-{number}", str(pid)], check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
            else:
                os.kill(pid, number)
    with contextlib.suppress(BrokenPipeError):
        os.write(process.stdin.fileno(), bytes([byte]))


def follow(process, seconds):
    """The lines that the program prints until all its processes have ended, without the requests."""
    text, told = b"", []
    deadline = time.monotonic() + seconds
    size = 0
    while (left := deadline - time.monotonic()) > 0 and size < OUTPUT_BYTES:
        if not select.select([process.stdout], [], [], left)[0]:
            break
        part = os.read(process.stdout.fileno(), 1 << 16)
        if not part:
            return told + ([text.decode(errors="replace")] if text else []), False
        size += len(part)
        *lines, text = (text + part).split(b"\n")
        for line in lines:
            if line.startswith(b"!"):
                answer(line, process)
            else:
                told.append(line.decode(errors="replace"))
    return told, True


def play(way, seed, directory, seconds, heap=""):
    program, preload = way
    variables = {"EPITAPH_DATABASE": str(directory)}
    if preload:
        variables |= building.preloading(preload, heap)
    process = subprocess.Popen(
        [program, str(seed), str(directory)], cwd=directory, env={**running.environment(), **variables},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0, start_new_session=True)
    try:
        told, is_hung = follow(process, seconds)
        status = "hung" if is_hung else process.wait(seconds)
    except subprocess.TimeoutExpired:
        status = "hung"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()
    return [*told, f"status {status}"]


class RandomActions:
    def __init__(self, runner, programs, heap, patience=1):
        self.runner = runner
        self.programs = programs
        self.heap = heap
        self.seconds = SECONDS * patience

    def differences(self, seed):
        """For each way that differs, the first line that does."""
        directory = self.runner.directory()
        problems = []
        try:
            expected = play(self.programs.without, seed, directory, self.seconds)
            for name, way in self.programs.ways.items():
                database = pathlib.Path(directory, name)
                database.mkdir()
                found = play(way, seed, database, self.seconds, self.heap)
                if found == expected:
                    continue
                index = next((i for i, pair in enumerate(zip(expected, found)) if pair[0] != pair[1]),
                             min(len(expected), len(found)))
                told = [lines[index].strip() if index < len(lines) else "nothing" for lines in (found, expected)]
                problems.append(f"{name}, line {index + 1}: {told[0]}; without Epitaph {told[1]}")
        finally:
            self.runner.discard(directory)
        return problems
