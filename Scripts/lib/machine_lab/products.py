# SPDX-License-Identifier: Apache-2.0
"""What the machines are to try, made when a part wants it first."""

import functools
import pathlib
import re
import subprocess

from .image import Failure


class Products:
    def __init__(self, root, work, options):
        self.root = pathlib.Path(root)
        self.work = pathlib.Path(work)
        self.options = options

    @functools.cached_property
    def packages(self):
        """Debian packages by file name."""
        directory = pathlib.Path(self.options.packages or self.work / "packages")
        if not self.options.packages:
            subprocess.run(["Scripts/package", "-o", str(directory)], cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        found = {path.name: path for path in directory.glob("*.deb")}
        if not any(name.startswith("epitaph_") for name in found):
            raise Failure(f"there are no packages of Scripts/package in {directory}")
        return found

    @functools.cached_property
    def steps(self):
        """The blocks of docs/operators.md behind "<!-- step: NAME -->". Who reads the page says yes."""
        page = (self.root / "docs/operators.md").read_text()
        found = re.findall(r"<!-- step: (\S+) -->\n```\n(.*?)```", page, re.DOTALL)
        return {f"steps/{name}": text.replace("apt-get install", "apt-get install -y -q") for name, text in found}

    @functools.cached_property
    def build(self):
        """The directory of the tests' programs."""
        if self.options.build:
            return pathlib.Path(self.options.build)
        for product in ("CEpitaphVictim", "EpitaphVictim"):
            subprocess.run(["swift", "build", "--product", product], cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        shown = subprocess.run(["swift", "build", "--show-bin-path"], cwd=self.root, check=True, capture_output=True, text=True)
        return pathlib.Path(shown.stdout.strip())

    @property
    def guest(self):
        return self.root / "Scripts/lib/machine_lab/guest"

    def program(self, source, compiler="gcc", options=()):
        """A small program of the lab's, compiled here."""
        program = self.work / f"{compiler}-{pathlib.Path(source).stem}"
        if not program.exists():
            subprocess.run([compiler, "-g", "-O1", "-Wl,--build-id", *options, "-o", str(program), str(source), "-pthread"], check=True)
        return program
