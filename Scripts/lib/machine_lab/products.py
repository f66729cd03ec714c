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
            subprocess.run(["Scripts/package", "-o", str(directory)], cwd=self.root, check=True,
                           stdout=subprocess.DEVNULL)
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

    def linked(self, name, sources, prefix="", options=()):
        """A program with Epitaph in C alone: what SwiftPM links needs Swift's libraries, too."""
        program = self.work / f"{prefix}{name}"
        if program.exists():
            return program
        sources = [path for source in sources for path in ([source] if source.is_file() else sorted(source.rglob("*.c*")))]
        sources = [path for path in sources if path.suffix in (".c", ".cpp")]
        objects = self.capture(prefix) + self.compiled(prefix, sources, name, options)
        subprocess.run([prefix + "g++", "-Wl,--build-id", *options, *objects, "-pthread", "-ldl", "-o", str(program)],
                       check=True)
        return program

    @property
    def capture_folders(self):
        return [self.root / "Sources/Capture" / name for name in ("CEpitaphFormat", "CEpitaphHandler", "CEpitaph")]

    @functools.cache
    def capture(self, prefix):
        sources = [path for folder in self.capture_folders for path in sorted(folder.rglob("*.c"))]
        return self.compiled(prefix, sources, "capture", ("-O2",))

    def compiled(self, prefix, sources, name, options):
        folders = [*self.capture_folders, *(self.root / "Tests" / name for name in ("CEpitaphVictim", "Benchmarks"))]

        def includes(source):
            own = [place for folder in folders if folder in source.parents
                   for place in sorted({folder, *(header.parent for header in folder.rglob("*.h"))})]
            return [f"-I{place}" for place in (*own, *(folder / "include" for folder in self.capture_folders))]

        objects = self.work / f"{prefix}{name}-objects"
        objects.mkdir(exist_ok=True)

        def compile_one(source):
            target = objects / f"{source.parent.name}-{source.name}.o"
            language = [prefix + "g++"] if source.suffix == ".cpp" else [prefix + "gcc", "-std=gnu17"]
            subprocess.run([*language, "-w", "-g", "-O1", "-fPIC", "-D_GNU_SOURCE", *options, *includes(source), "-c",
                            str(source), "-o", str(target)], check=True)
            return str(target)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(compile_one, sources))

    def victim(self, prefix=""):
        """The tests' C program that dies in many ways."""
        return self.linked("victim", [self.root / "Tests/CEpitaphVictim"], prefix, ("-fno-omit-frame-pointer",))

    def endings(self, prefix):
        """A directory of programs that Scripts/compare-endings compares."""
        made = self.work / f"{prefix}endings"
        if not made.exists():
            tools = {"CC": prefix + "gcc", "OBJCOPY": prefix + "objcopy", "AR": prefix + "ar"}
            subprocess.run(["Scripts/compare-endings", "--make", str(made)], cwd=self.root, check=True,
                           env={**os.environ, **tools})
        return made

    def benchmark(self):
        """The C program of `Scripts/bench crash`."""
        folder = self.root / "Tests/Benchmarks"
        return self.linked("benchmark", [folder / "installed.c", folder / "CEpitaphBench"], options=("-O2",))

    @functools.cached_property
    def build(self):
        """The directory of EpitaphCheck, which prints the stacks of a dump, and of dump-convert."""
        run = functools.partial(subprocess.run, cwd=self.root, check=True, stdout=subprocess.PIPE, text=True)
        for product in ("EpitaphCheck", "dump-convert"):
            run(["swift", "build", "--product", product])
        return pathlib.Path(run(["swift", "build", "--show-bin-path"]).stdout.strip())

    @property
    def guest(self):
        return self.root / "Scripts/lib/machine_lab/guest"

    def program(self, source, compiler="gcc", options=()):
        """A small program of the lab's, compiled here."""
        program = self.work / f"{compiler}-{pathlib.Path(source).stem}"
        if not program.exists():
            subprocess.run([compiler, "-g", "-O1", "-Wl,--build-id", *options, "-o", str(program), str(source), "-pthread"],
                           check=True)
        return program
