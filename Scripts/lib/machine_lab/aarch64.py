# SPDX-License-Identifier: Apache-2.0
"""The corpus of Scripts/compare-stacks on a real kernel for aarch64, cross compiled: our frames of all threads against
those of gdb inside."""

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import tarfile

from .machine import Disk

PREFIX = "aarch64-linux-gnu-"
# gdb needs a second for a thousand frames or less. The stack of a thread that overflows is of 8 MiB wherever it runs.
INNERMOST = {"deep-thread": 300}
STACK_KB = {"overflow": 256, "deep": 1024}
BUILDS = {
    "gcc-O2": ("-O2", "-fomit-frame-pointer"),
    # Signed return addresses and landing pads, as Debian's own libraries from trixie on have them.
    "gcc-O2-signed": ("-O2", "-mbranch-protection=standard"),
    "gcc-O0": ("-O0",),
}
# With all ways only once: gdb takes seconds for each.
FEW = ("recursion", "abort", "thread", "handler", "overflow", "deep-thread", "divide")


def compare_stacks(root):
    """Scripts/compare-stacks as a module."""
    loader = importlib.machinery.SourceFileLoader("compare_stacks", str(root / "Scripts/compare-stacks"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_stacks", loader))
    loader.exec_module(module)
    return module


class Corpus:
    def __init__(self, products):
        self.products = products
        self.compare = compare_stacks(products.root)
        self.out = None

    def programs(self):
        """Cross compiled programs by name, with their ways."""
        corpus = self.products.root / "Tests/Corpus"
        c_sources = [corpus / name for name in (*self.compare.C_SOURCES, "arm.c")]
        # A stub of the linkage table is found by decoding the code of x86_64.
        ways = [way for way in self.compare.C_WAYS if way not in self.compare.STUBS]
        for name, options in BUILDS.items():
            yield (name, self.products.linked(name, c_sources, PREFIX, options),
                   ways if name == "gcc-O2-signed" else [way for way in ways if way in FEW])
        cxx_sources = [corpus / "cxx.cpp", corpus / "arm.c"]
        yield "g++-O2", self.products.linked("g++-O2", cxx_sources, PREFIX, ("-O2",)), self.compare.CXX_WAYS

    def plan(self):
        for name, _, ways in self.programs():
            for way in ways:
                environment = {"CORPUS_LIMITS": "default"} if way in self.compare.LIMITED else {}
                yield {"program": name, "way": way, "environment": environment, "stack_kb": STACK_KB.get(way),
                       "frames": INNERMOST.get(way, 1 << 30)}

    def files(self):
        script = self.compare.GDB_SCRIPT.replace("while frame is not None:", "left = int(os.environ['FRAMES'])\n"
                                                 "    while frame is not None and left:\n        left -= 1")
        return {"plan.json": json.dumps(list(self.plan())), "frames.py": "import os" + script,
                **{name: path for name, path, _ in self.programs()}}

    def disk(self, work):
        self.out = Disk("lab-out", work / "out.tar", 512 << 20)
        return self.out

    def sysroot(self, machine, work):
        """What the machine has of libraries and their symbols, and the programs where they were."""
        root = work / "sysroot"
        (root / "usr/lib").mkdir(parents=True, exist_ok=True)
        for place in ("/usr/lib/aarch64-linux-gnu", "/usr/lib/debug"):
            command = f"rdump {place} {root}/usr/lib"
            subprocess.run(["debugfs", "-R", command, str(machine.root)], check=True, capture_output=True)
        if not (root / "lib").exists():
            (root / "lib").symlink_to("usr/lib")
        (root / "lab").mkdir(exist_ok=True)
        for name, path, _ in self.programs():
            (root / "lab" / name).write_bytes(pathlib.Path(path).read_bytes())
        return root

    def differences(self, machine, work, check, show):
        """Compares what came back; the number of things that are not as they have to be."""
        found = work / "found"
        with tarfile.open(self.out.path) as archive:
            archive.extractall(found)
        root = self.sysroot(machine, work)
        total = self.compare.Count()
        for planned in self.plan():
            place = found / planned["program"] / planned["way"]
            if not (place / "dump").exists():
                continue
            name = f"{planned['program']}/{planned['way']}"
            text = (place / "gdb.txt").read_text()
            code = [[int(word, 16) for word in line.split("\t")[1:]] for line in text.splitlines()
                    if line.startswith("CODE")]
            theirs = self.compare.stacks(text)
            ours = self.compare.stacks(self.compare.run([check, "stacks", place / "dump", root]))
            for number, stack in theirs.items():
                # Where gdb has no table it shows any word of the stack as a frame.
                stack.frames = stack.frames[:1] + [frame for frame in stack.frames[1:]
                                                   if any(start <= frame.address < end for start, end in code)]
                if len(stack.frames) == planned["frames"] and number in ours:
                    outer = ours[number].cut()[1]
                    if [frame for frame in outer if not frame.names] or len(outer) < 3:
                        show(f"  {name}: the outermost frames are {' '.join(map(str, outer[-8:]))}")
                        total.lacking += 1
                    ours[number].frames = ours[number].cut()[0][:len(stack.frames)]
            total.add(self.compare.compare_threads(name, ours, theirs))
        for complaint in total.complaints:
            show(f"  {complaint}")
        rate = total.agreed / total.total if total.total else 0
        show(f"figure: {total.agreed} of {total.total} physical frames of all threads agree with gdb: {rate:.2%}, "
             f"{total.invented} invented")
        if rate < self.compare.BAR or total.invented:
            show(f"FAILED: not {self.compare.BAR:.1%} of gdb's frames are ours, or some are no frames of gdb's")
            return 1
        return 0


