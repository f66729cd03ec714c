# SPDX-License-Identifier: Apache-2.0
"""Small C programs of a directory, each of which shows one way to die: their stacks with gdb's. Used by compare-stacks."""

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Programs without tables need no other flag: gcc for x86_64 leaves frame pointers out from -O1 on.
LEVELS = ["-O0", "-O1", "-O2"]
LIBRARY_FLAGS = [
    "-O2", "-fno-asynchronous-unwind-tables", "-fno-exceptions", "-fomit-frame-pointer", "-shared", "-fPIC", "-s"]
SECONDS = 60
# The kernel maps libraries above it, and programs that can be loaded anywhere below.
LIBRARIES_START = 0x7000_0000_0000
# Of the instruction syscall.
SYSTEM_CALL_BYTES = 2
THREAD_STARTS = {"epitaph_thread_begin", "epitaph_thread_create"}


def script(name):
    """A script of that name as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "Scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def ways(directory, file):
    """By program, the arguments of each run; one run without arguments where the file names none."""
    runs = {path.stem: [] for path in sorted(directory.glob("*.c")) if not path.stem.endswith("-lib")}
    for line in file.read_text().splitlines() if file else []:
        words = line.split("#")[0].split()
        if words and words[0] in runs:
            runs[words[0]].append(words[1:])
    return {name: arguments or [[]] for name, arguments in runs.items()}


class Programs:
    def __init__(self, directory, scratch, is_musl):
        self.directory = directory
        self.scratch = scratch
        self.libraries = script("random-stacks").Libraries(scratch / "P", is_musl, is_aarch64=False, is_installed=False)

    def build(self, name, level):
        """The program, with the library `NAME-lib.c` beside it if there is one; None if it does not compile."""
        folder = self.scratch / f"{name}{level}"
        folder.mkdir()
        source = self.directory / f"{name}.c"
        compiler, installed = self.libraries.compiler, self.libraries.folder
        command = [compiler, "-g", level, "-w", f"-I{installed}/include", source, "-o", folder / "program", "-pthread"]
        library = self.directory / f"{name}-lib.c"
        if library.exists():
            subprocess.run([compiler, *LIBRARY_FLAGS, "-w", library, "-o", folder / "library.so"], check=True)
            command.append(folder / "library.so")
        if self.is_linked(name):
            command.append(installed / "lib/libepitaph.a")
        compiled = subprocess.run(command, capture_output=True, text=True)
        return folder / "program" if compiled.returncode == 0 else None

    def is_linked(self, name):
        return "epitaph.h" in (self.directory / f"{name}.c").read_text()

    def crash(self, program, name, arguments, directory):
        """The dump and the core of a run; None for what it did not leave."""
        database = directory / "db"
        environment = dict(os.environ, EPITAPH_DATABASE=str(database))
        if not self.is_linked(name):
            environment["LD_PRELOAD"] = str(self.libraries.folder / "lib/epitaph/libepitaph-preload.so")
        arguments = [str(database) if word == "DB" else word for word in arguments]
        try:
            subprocess.run([program, *arguments], cwd=directory, env=environment, capture_output=True,
                           timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, None
        dumps = [path for path in database.rglob("*@*") if path.suffix != ".locked"]
        cores = list(directory.glob("core*"))
        return (dumps[0] if len(dumps) == 1 else None), (cores[0] if len(cores) == 1 else None)


def sure(stack):
    """Without frames that are said to be possible, no more: what follows them is no more than that."""
    certain = next((i for i, frame in enumerate(stack.frames) if frame.found_by == "stackGuess"), len(stack.frames))
    stack.frames = stack.frames[:certain]
    return stack


def is_of_capture(frame):
    """Whether it is one of ours, but not the first of a thread."""
    return any(
        name == "handle_stop" or name.startswith("epitaph_") and name not in THREAD_STARTS for name in frame.names)


def let_go(theirs):
    """The process died while the capture still held the thread, or in a handler that ours called: without those frames,
    and the signal's."""
    for stack in theirs.values():
        held = max((i + 1 for i, frame in enumerate(stack.frames) if is_of_capture(frame)), default=0)
        is_return_path = held and held < len(stack.frames) and set(stack.frames[held].names) <= {"__restore_rt"}
        stack.frames = stack.frames[held + bool(is_return_path):]


def known_to_gdb(ours, theirs):
    """musl has no tables, and gdb mostly loses its way there: leaves the frames of the program that gdb finds, and those of
    ours that are among them. Returns how many of ours are not."""
    unknown = 0
    for stack in theirs.values():
        stack.frames = [frame for frame in stack.frames if frame.address < LIBRARIES_START]
    for number, stack in ours.items():
        found = {frame.address for frame in theirs[number].frames} if number in theirs else set()
        count = len(stack.frames)
        stack.frames = [frame for frame in stack.frames if frame.address in found]
        unknown += count - len(stack.frames)
    return unknown


def as_made_again(ours, theirs):
    """A signal finds a call that is made again at its instruction, the core finds it behind: the innermost frame is the same."""
    for number, stack in ours.items():
        other = theirs.get(number)
        if not other or not other.frames or not stack.frames:
            continue
        if abs(other.frames[0].address - stack.frames[0].address) == SYSTEM_CALL_BYTES:
            stack.frames[0].address = other.frames[0].address


def cut_where_gdb_ends(ours, theirs):
    """gdb follows no function without tables: where its frames end, the rest of ours cannot be compared. Returns how many."""
    beyond = 0
    for number, stack in ours.items():
        other = theirs.get(number)
        count = len(other.frames) if other else 0
        ends = [frame.address for frame in stack.frames[:count]] == [frame.address for frame in other.frames] if other else False
        if ends and len(stack.frames) > count > 0:
            beyond += len(stack.frames) - count
            stack.frames = stack.frames[:count]
    return beyond


def compare(stacks, tools, directory, file, is_musl, filters):
    """Prints each disagreement; returns the counts against gdb on the kernel's core, and on the report's own core."""
    kernel, own = stacks.Count(), stacks.Count()
    compared = 0
    with tempfile.TemporaryDirectory(prefix="epitaph-programs-") as scratch:
        scratch = pathlib.Path(scratch)
        programs = Programs(directory, scratch, is_musl)
        gdb_script = scratch / "frames.py"
        gdb_script.write_text(stacks.GDB_SCRIPT)
        for name, runs in ways(directory, file).items():
            for level in LEVELS:
                label = f"{name}{level}"
                if filters and not any(part in label for part in filters):
                    continue
                program = programs.build(name, level)
                if program is None:
                    print(f"{label}: is not compiled here")
                    continue
                for arguments in runs:
                    said = " ".join([label, *arguments])
                    run = pathlib.Path(tempfile.mkdtemp(dir=scratch))
                    dump, core = programs.crash(program, name, arguments, run)
                    if dump is None or core is None:
                        print(f"{said}: left {'no core' if dump else 'no report' if core else 'neither report nor core'}")
                        continue
                    compared += 1
                    compare_run(stacks, tools, said, program, dump, core, gdb_script, kernel, own, is_musl)
                    shutil.rmtree(run)
    return kernel, own, compared


def compare_run(stacks, tools, said, program, dump, core, gdb_script, kernel, own, is_musl):
    found = stacks.run([tools / "EpitaphCheck", "stacks", dump])
    ours = {number: sure(stack) for number, stack in stacks.stacks(found).items()}
    truth = stacks.gdb_stacks(program, core, gdb_script)
    let_go(truth)
    as_made_again(ours, truth)
    if is_musl:
        kernel.skipped += known_to_gdb(ours, truth)
    kernel.skipped += cut_where_gdb_ends(ours, truth)
    count = stacks.compare_threads(said, ours, dict(truth))
    if count.lacking and stacks.says_complete(tools / "dump-convert", dump):
        count.complaints.append(f"{said}: the report says that it is complete, and lacks frames")
        count.invented += 1
    kernel.add(count)
    again = dump.with_suffix(".core")
    stacks.run([tools / "dump-convert", "convert", "--core", dump, "-o", again])
    theirs = stacks.gdb_stacks(program, again, gdb_script, code_of=core)
    # Without what the kernel's core changed: threads ran on until the death.
    ours = {number: sure(stack) for number, stack in stacks.stacks(found).items()}
    as_made_again(ours, theirs)
    if is_musl:
        own.skipped += known_to_gdb(ours, theirs)
    own.skipped += cut_where_gdb_ends(ours, theirs)
    whole = {number: stack for number, stack in ours.items() if not stack.cut()[1]}
    own.add(stacks.compare_threads(f"{said}: debug", whole, {n: theirs[n] for n in whole if n in theirs}))
