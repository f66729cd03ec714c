# SPDX-License-Identifier: Apache-2.0
"""Programs on a real kernel for aarch64, cross compiled: the corpus of Scripts/compare-stacks, our frames of all threads
against those of gdb inside; the captures that Scripts/interrupt-captures breaks; the programs whose endings
Scripts/compare-endings compares; and the C tests' program, which dies in each of its ways."""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

PREFIX = "aarch64-linux-gnu-"
# On an emulated processor gdb needs a second for some frames. The stack of a thread that overflows is of 8 MiB wherever it runs.
INNERMOST = {"deep": 300, "deep-thread": 300}
STACK_KB = {"overflow": 256, "deep": 1024}
BUILDS = {
    "gcc-O2": ("-O2", "-fomit-frame-pointer"),
    # Signed return addresses and landing pads, as Debian's own libraries from trixie on have them.
    "gcc-O2-signed": ("-O2", "-mbranch-protection=standard"),
    "gcc-O0": ("-O0",),
}
# With all ways only once: gdb takes seconds for each.
FEW = ("recursion", "abort", "thread", "handler", "overflow", "deep-thread")
GUARDED = ("-O2", "-march=armv8.5-a+memtag", "-mbranch-protection=standard")
# What a report has to say first of what the processor checks besides permissions.
CAUSES = {
    "tag-read": r"read from 0x[0-9a-f]+ \(x[0-9]+\) through a pointer with the tag 5, which is not the memory's",
    "tag-write": r"wrote to 0x[0-9a-f]+ \(x[0-9]+\) through a pointer with the tag 6, which is not the memory's",
    "landing-pad": r"called no_landing_pad.*, which is no landing pad",
    "broken-signature": r"whose signature did not match: a return address was overwritten",
    # By chance one of eight signatures of three bits matches.
    "return-to-text": r"(whose signature did not match|where no code is): a return address was overwritten",
}
# There is no caller for gdb, and ours are what a frame pointer leads to.
WITHOUT_CALLERS = ("broken-signature", "return-to-text")
# Ways that cannot be compared.
NOT_COMPARED = {
    # A division by 0 is 0 (Arm ARM, SDIV), no stack pointer is non-canonical, and glibc's lists of threads are elsewhere.
    "divide-by-zero", "sp-noncanonical", "in-thread-list",
    # Where the program is gone, x86_64 does not tell a call from a return.
    "jump-to-null",
    # MADV_GUARD_INSTALL: Linux 6.13.
    "guard-region",
    # Which of several is first, and what comes before the next program, is chance.
    "hundred-at-once", "two-at-once", "sent-many", "with-vfork-child", "execute-beside-live-dumps",
    # Minutes on an emulated processor.
    "many-children", "more-mappings", "most-mappings", "waiting-stack-pointer",
}
# Of the scenes of Scripts/interrupt-captures those that fit into ten minutes.
SCENES = "crashing,stopped,overflow"


def compare_stacks(root):
    """Scripts/compare-stacks as a module."""
    loader = importlib.machinery.SourceFileLoader("compare_stacks", str(root / "Scripts/compare-stacks"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_stacks", loader))
    loader.exec_module(module)
    return module


def sysroot(image, work, programs):
    """What a machine has of libraries and their symbols, and the programs where they were."""
    root = work / "sysroot"
    (root / "usr/lib").mkdir(parents=True, exist_ok=True)
    for place in ("/usr/lib/aarch64-linux-gnu", "/usr/lib/debug"):
        subprocess.run(["debugfs", "-R", f"rdump {place} {root}/usr/lib", str(image.root)], check=True, capture_output=True)
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")
    (root / "lab").mkdir(exist_ok=True)
    for name, path in programs.items():
        (root / "lab" / name).write_bytes(pathlib.Path(path).read_bytes())
    return root


def unpacked(disk, place):
    """What a script wrote to the disk with tar(1), and nothing that an earlier run left at the place."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with tarfile.open(disk.path) as archive:
        archive.extractall(place)
    return place


def judged(words, complaint, show):
    """Has a script of ours judge what came back; 1 if that is not as it has to be, otherwise 0."""
    answer = subprocess.run(words, capture_output=True, text=True)
    for line in (answer.stdout + answer.stderr).splitlines():
        show(f"figure: {line}")
    if answer.returncode != 0:
        show(f"FAILED: {complaint}")
    return int(answer.returncode != 0)


class Captures:
    """Scripts/interrupt-captures: the machine breaks the captures, and this one judges."""

    def __init__(self, products):
        self.products = products

    def files(self):
        return {"CEpitaphVictim": self.products.victim(PREFIX), "scenes": SCENES,
                "Scripts/interrupt-captures": self.products.root / "Scripts/interrupt-captures"}

    def failures(self, image, work, disk, show):
        found = unpacked(disk, work / "found")
        root = sysroot(image, work, {"CEpitaphVictim": self.products.victim(PREFIX)})
        words = [self.products.root / "Scripts/interrupt-captures", "--build", self.products.build, "--judge", found,
                 "--sysroot", root]
        return judged(words, "a capture that was broken left what is not usable, or not true", show)


class Endings:
    """Scripts/compare-endings: the machine compares how programs end, and this one judges their reports."""

    def __init__(self, products):
        self.products = products

    def files(self):
        scripts = self.products.root / "Scripts"
        library = {f"Scripts/lib/compare_endings/{path.name}": path for path in (scripts / "lib/compare_endings").glob("*.py")}
        made = self.products.endings(PREFIX)
        programs = {f"made/{path.relative_to(made)}": path for path in made.rglob("*")
                    if path.is_file() and path.suffix not in (".o", ".a")}
        return {"Scripts/compare-endings": scripts / "compare-endings", **library, **programs}

    def failures(self, image, work, disk, show):
        found = unpacked(disk, work / "found")
        words = [self.products.root / "Scripts/compare-endings", "--build", self.products.build, "--judge", found]
        return judged(words, "reports of processes that waited are not as they have to be", show)


class Ways:
    """All ways of the C tests' program: they have to end as on this machine, with the same reports."""

    def __init__(self, products):
        self.products = products

    def files(self):
        return {"victim": self.products.victim(PREFIX), "ways.py": self.products.guest / "ways.py"}

    def told(self, place):
        """How the way ended, and what its reports say that is no matter of the processor."""
        ending, found = place / "ending", []
        if not ending.exists():
            return ["was not tried"]
        for dump in (path for path in place.glob("database/pending-dumps/*@*") if path.suffix != ".locked"):
            words = [self.products.build / "dump-convert", "show", "--json", "--no-symbols", dump]
            report = json.loads(subprocess.run(words, capture_output=True, text=True).stdout or "{}")
            signal = report.get("reason", {}).get("signal", {})
            found.append(f"{report.get('kind')}/{signal.get('name')}/{report.get('diagnosis', {}).get('kind')}")
        return [f"ends with {ending.read_text()}", *sorted(set(found))]

    def failures(self, image, work, disk, show):
        found, here, wrong = unpacked(disk, work / "found"), work / "here", 0
        subprocess.run([sys.executable, self.products.guest / "ways.py", self.products.victim(), here], check=True)
        ways = sorted({path.name for path in here.iterdir()} - NOT_COMPARED)
        for way in ways:
            theirs, ours = self.told(found / way), self.told(here / way)
            if theirs != ours:
                show(f"  {way}: {' '.join(theirs)}; on this machine {' '.join(ours)}")
                wrong += 1
        show(f"figure: {len(ways) - wrong} of {len(ways)} ways end as on this machine, with the same reports")
        if wrong:
            show("FAILED: not all do")
        return wrong


class Corpus:
    def __init__(self, products, few=False):
        self.products = products
        self.few = few
        self.compare = compare_stacks(products.root)

    def programs(self):
        """Cross compiled programs by name, with their ways."""
        corpus = self.products.root / "Tests/Corpus"
        c_sources = [corpus / name for name in (*self.compare.C_SOURCES, "arm.c")]
        # A stub of the linkage table is found by decoding the code of x86_64. A division by 0 is 0 (Arm ARM, SDIV).
        ways = [way for way in self.compare.C_WAYS if way not in self.compare.STUBS | {"divide"}]
        yield "guards", self.products.linked("guards", [corpus / "guards.c", corpus / "arm.c"], PREFIX, GUARDED), list(CAUSES)
        for name, options in BUILDS.items():
            if self.few and name != "gcc-O2-signed":
                continue
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

    def causes(self, found, root, show):
        """The number of causes that are not told."""
        wrong = 0
        for way, cause in CAUSES.items():
            dump = found / "guards" / way / "dump"
            if not dump.exists():
                continue
            words = [self.products.build / "dump-convert", "show", "--no-debuginfod", "--sysroot", root, dump]
            said = subprocess.run(words, capture_output=True, text=True).stdout
            first = " ".join(said.split("\n\n")[0].split())
            show(f"figure: {way}: {first[:300]}")
            if not re.search(cause, first):
                show(f"FAILED: the report of {way} does not say: {cause}")
                wrong += 1
        return wrong

    def failures(self, image, work, disk, show):
        """Compares what came back; the number of things that are not as they have to be."""
        found = unpacked(disk, work / "found")
        root = sysroot(image, work, {name: path for name, path, _ in self.programs()})
        wrong = self.causes(found, root, show)
        total = self.compare.Count()
        for planned in self.plan():
            place = found / planned["program"] / planned["way"]
            if not (place / "gdb.txt").exists() or planned["way"] in WITHOUT_CALLERS:
                continue
            name = f"{planned['program']}/{planned['way']}"
            text = (place / "gdb.txt").read_text()
            code = [[int(word, 16) for word in line.split("\t")[1:]] for line in text.splitlines()
                    if line.startswith("CODE")]
            theirs = self.compare.stacks(text)
            ours = self.compare.stacks(self.compare.run([self.products.build / "EpitaphCheck", "stacks", place / "dump", root]))
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
            wrong += 1
        return wrong


