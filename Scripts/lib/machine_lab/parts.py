# SPDX-License-Identifier: Apache-2.0
"""What the lab tries, a class each."""

import json
import random
import time

from . import aarch64, image, write_log
from .machine import Disk, Machine


class Part:
    """One boot of a script in `guest`."""

    architecture = image.X86_64
    deadline_s = 600
    script = None

    def __init__(self, machine, products, work, options):
        self.products = products
        self.options = options
        self.work = work
        self.machine = Machine(machine, work)

    def files(self):
        guest = self.products.guest
        return {"start": (guest / self.script).read_text(), "say.sh": guest / "say.sh"}

    def disks(self):
        return []

    def run(self):
        """The number of failures."""
        words = self.machine.boot(self.files(), self.disks(), self.deadline_s, show)
        return max(words.end if words.end is not None else 1, len(words.failures))


def show(line):
    if line != "up" and not line.startswith("end "):
        print(line, flush=True)


class Installed(Part):
    """With the packages, docs/operators.md in blocks, and a daemon that knows nothing of Epitaph."""

    def files(self):
        guest = self.products.guest
        return {**super().files(), **self.products.packages, **self.products.steps,
                "daemon": self.products.program(guest / "daemon.c"), "collector.py": guest / "collector.py"}


class Operator(Installed):
    """a first-time operator's way: packages, an unmodified service with DynamicUser=, a crash, its explanation"""

    script = "operator.sh"


class Packages(Installed):
    """docs/operators.md word by word; the units with filters, watchdog and journal; what purging leaves"""

    script = "packages.sh"


class Pressure(Installed):
    """memory that runs out in a control group of version 2, and on the machine"""

    script = "pressure.sh"


class Coredump(Installed):
    """systemd-coredump's cores become reports, and Scripts/core-pipe in full"""

    script = "coredump.sh"

    def files(self):
        root = self.products.root
        return {**super().files(), "victim": self.products.victim(), "Scripts/core-pipe": root / "Scripts/core-pipe",
                "crash": self.products.program(root / "Scripts/lib/core_pipe_crash.c")}


class Clock(Installed):
    """a clock that is wrong at the start, is set, jumps ahead and is set back"""

    script = "clock.sh"

    def __init__(self, *words):
        super().__init__(*words)
        self.machine.options = ["-rtc", "base=2001-01-01T00:00:00"]


class FullDisk(Installed):
    """a full disk: programs live and die as without Epitaph, and what waits is done later"""

    script = "full-disk.sh"

    def disks(self):
        return [Disk("lab-small", self.work / "small.disk", 48 << 20)]


class PowerCuts(Installed):
    """dumps, conversions, uploads and removals go on as the power fails; docs/database.md after the next boot"""

    file_system = "ext4"
    file_system_bytes = 320 << 20
    notes_bytes = 4 << 20
    # How long the machine works until it is killed.
    work_s = 75

    def files(self):
        guest = self.products.guest
        layout = self.products.root / "Scripts/lib/interrupt_database/layout.py"
        plan = {"file_system": self.file_system, "bytes": self.file_system_bytes, "notes": self.notes_bytes,
                "cuts": self.options.cuts}
        names = ("say.sh", "power_work.py", "power_check.py", "collector.py")
        return {**self.products.packages, **{name: guest / name for name in names}, "layout.py": layout,
                "daemon": self.products.program(guest / "daemon.c"), "plan.json": json.dumps(plan),
                "settings": f"file_system={self.file_system} bytes={self.file_system_bytes}\n"}

    def run(self):
        log, now, cuts = (self.work / name for name in ("power.log", "power.img", "cuts.img"))
        disk = Disk("lab-power", self.work / "power.disk", self.file_system_bytes + self.notes_bytes, log)
        began = []

        def is_enough(words):
            if "working" in words.lines and not began:
                began.append(time.monotonic())
            return bool(began) and time.monotonic() - began[0] > self.work_s

        work = (self.products.guest / "power-work.sh").read_text()
        words = self.machine.boot({**self.files(), "start": work}, [disk], self.deadline_s, show, is_enough)
        if not began:
            show("FAILED: the machine did not begin to work")
            return 1
        lost = self.cut(log, now, cuts)
        show(f"figure: {self.options.cuts} cuts, after which {min(lost)} to {max(lost)} writes were lost")
        check = (self.products.guest / "power-check.sh").read_text()
        self.machine.memory_mb = 2048
        checked = self.machine.boot({**self.files(), "start": check}, [Disk("lab-cuts", cuts)], self.deadline_s, show)
        for path in (log, now, cuts, disk.path):
            if not self.options.keep:
                path.unlink()
        return len(words.failures) + max(checked.end if checked.end is not None else 1, len(checked.failures))

    def cut(self, log, now, cuts):
        """Makes one file of what each cut leaves, one behind the other; how many writes each lost."""
        size = self.file_system_bytes + self.notes_bytes
        entries = list(write_log.entries(log))
        # Since the first promise: what makes a file system writes there, too.
        first = write_log.first(log, entries, self.file_system_bytes, b"client ")
        lot = random.Random(self.options.seed)
        moments = sorted(lot.choices(range(first, len(entries)), k=self.options.cuts))
        disk, lost, number = write_log.Disk(log, now, size, self.file_system_bytes), [], 0
        with open(cuts, "wb") as file:
            file.truncate(size * len(moments))
        for position, entry in enumerate(entries):
            disk.go_on(entry)
            while number < len(moments) and moments[number] == position:
                lost.append(disk.cut(cuts, number * size, lot))
                number += 1
        return lost


class PowerCutsXFS(PowerCuts):
    """the same on XFS"""

    file_system = "xfs"


class PowerCutsBtrfs(PowerCuts):
    """the same on Btrfs"""

    file_system = "btrfs"


class AArch64(Part):
    """the corpus in C and C++ on a kernel for aarch64, with signed returns, landing pads and tags, against gdb inside"""

    architecture = image.AARCH64
    script = "aarch64.sh"
    kernel = "cloud-arm64"

    def __init__(self, *words):
        super().__init__(*words)
        self.machine.kernel = self.kernel
        self.tried = self.what()
        self.out = Disk("lab-out", self.work / "out.tar", 512 << 20)

    def what(self):
        return aarch64.Corpus(self.products)

    def files(self):
        return {**super().files(), "crashes.py": self.products.guest / "crashes.py", **self.tried.files()}

    def disks(self):
        return [self.out]

    def run(self):
        return super().run() + self.tried.failures(self.machine.image, self.work, self.out, show)


class AArch64LargePages(AArch64):
    """the same with pages of 16 KiB, and one build of the corpus"""

    kernel = "arm64-16k"

    def what(self):
        return aarch64.Corpus(self.products, few=True)


class AArch64Captures(AArch64):
    """a kernel for aarch64: captures that SIGKILL ends at each of their system calls"""

    script = "captures.sh"

    def what(self):
        return aarch64.Captures(self.products)


class AArch64Endings(AArch64):
    """a kernel for aarch64: how programs end that play with signals, wait, and refuse, with Epitaph and without"""

    script = "endings.sh"

    def what(self):
        return aarch64.Endings(self.products)


class AArch64Ways(AArch64):
    """a kernel for aarch64: the C tests' program dies in each of its ways, and as on this machine"""

    script = "ways.sh"

    def what(self):
        return aarch64.Ways(self.products)


class CaptureTimes(Part):
    """how long a capture takes beside a bare write, on four emulated processors and on one"""

    script = "capture-times.sh"

    def files(self):
        return {**super().files(), "program": self.products.benchmark()}


PARTS = {
    "operator": Operator, "packages": Packages, "pressure": Pressure, "coredump": Coredump, "clock": Clock,
    "full-disk": FullDisk, "power-cuts": PowerCuts, "power-cuts-xfs": PowerCutsXFS, "power-cuts-btrfs": PowerCutsBtrfs,
    "capture-times": CaptureTimes, "aarch64": AArch64, "aarch64-16k": AArch64LargePages, "aarch64-captures": AArch64Captures,
    "aarch64-endings": AArch64Endings, "aarch64-ways": AArch64Ways,
}
