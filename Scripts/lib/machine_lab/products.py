# SPDX-License-Identifier: Apache-2.0
"""What the machines are to try, made when a part wants it first."""

import concurrent.futures
import functools
import os
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

    def victim(self, prefix=""):
        """The tests' C program that dies in many ways, with Epitaph in C alone: SwiftPM links its runtime, too."""
        program = self.work / f"{prefix}victim"
        if program.exists():
            return program
        folders = [self.root / "Sources/Capture" / name for name in ("CEpitaphFormat", "CEpitaphHandler", "CEpitaph")]
        folders.append(self.root / "Tests/CEpitaphVictim")
        includes = sorted({f"-I{header.parent}" for folder in folders for header in folder.rglob("*.h")})
        objects = self.work / f"{prefix}victim-objects"
        objects.mkdir(exist_ok=True)

        def compiled(source):
            target = objects / f"{source.parent.name}-{source.name}.o"
            language = [prefix + "g++"] if source.suffix == ".cpp" else [prefix + "gcc", "-std=gnu17"]
            subprocess.run([*language, "-g", "-O1", "-fno-omit-frame-pointer", "-D_GNU_SOURCE", *includes, "-c", str(source), "-o",
                            str(target)], check=True)
            return str(target)

        sources = [path for folder in folders for path in sorted(folder.rglob("*.c*")) if path.suffix in (".c", ".cpp")]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(compiled, sources))
        subprocess.run([prefix + "g++", "-Wl,--build-id", *parts, "-pthread", "-ldl", "-o", str(program)], check=True)
        return program

    @property
    def guest(self):
        return self.root / "Scripts/lib/machine_lab/guest"

    def program(self, source, compiler="gcc", options=()):
        """A small program of the lab's, compiled here."""
        program = self.work / f"{compiler}-{pathlib.Path(source).stem}"
        if not program.exists():
            subprocess.run([compiler, "-g", "-O1", "-Wl,--build-id", *options, "-o", str(program), str(source), "-pthread"], check=True)
        return program
