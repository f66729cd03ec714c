# SPDX-License-Identifier: Apache-2.0
"""What the lab tries, a class each."""

from . import image
from .machine import Machine


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

    def run(self):
        """The number of failures."""
        words = self.machine.boot(self.files(), deadline_s=self.deadline_s, heard=show)
        return max(words.end if words.end is not None else 1, len(words.failures))


def show(line):
    if not line.startswith("end "):
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


PARTS = {"operator": Operator, "packages": Packages}
