# SPDX-License-Identifier: Apache-2.0
"""Compiles the product's C targets and the programs of Tests/GuestDummy, without SwiftPM."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
TARGETS = ("CEpitaphFormat", "CEpitaphHandler", "CEpitaph")
GUESTS = ROOT / "Tests/GuestDummy"
FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-g", "-O1", "-fPIC"]


def compiler():
    """The C compiler of the environment's CC, or else the Swift toolchain's own clang."""
    chosen = os.environ.get("CC", "clang")
    os.environ["PATH"] = subprocess.check_output([ROOT / "Scripts/tool-path"], text=True).strip()
    if not shutil.which(chosen):
        sys.exit(f"compare-endings: there is no C compiler {chosen}")
    return chosen


def run(words):
    answer = subprocess.run([str(word) for word in words], text=True, capture_output=True)
    if answer.returncode != 0:
        sys.exit(f"compare-endings: {' '.join(map(str, words))[:200]} failed\n{answer.stderr[-3000:]}")


def preloading(preload, heap):
    """Variables for a program with the preloaded library, and with sampled allocations at a rate such as 1/1."""
    variables = {"LD_PRELOAD": str(preload)}
    if heap:
        variables["LD_PRELOAD"] += f":{preload.parent / 'libepitaph-heap.so'}"
        variables["EPITAPH_HEAP_SAMPLING"] = heap
    return variables


class Workshop:
    """Everything that is compiled, in a directory of its own."""

    def __init__(self, directory, products=None, prefix=None):
        """In `products` are objects that SwiftPM compiled Epitaph to; at `prefix` Scripts/install has installed it."""
        self.directory = pathlib.Path(directory)
        self.products = products
        self.prefix = prefix
        self.compiler = compiler()
        self.epitaph = None

    def compile(self, source, output, include=()):
        words = [f"-I{directory}" for directory in include]
        run([self.compiler, *FLAGS, "-Wall", "-Wextra", *words, "-c", source, "-o", output])
        return output

    def public_headers(self):
        return [ROOT / "Sources/Capture" / target / "include" for target in TARGETS]

    def product(self):
        """One object with all of Epitaph in it, as SwiftPM links it: no part is left out for not being called."""
        if self.epitaph is None:
            sources = [file for target in TARGETS for file in sorted((ROOT / "Sources/Capture" / target).rglob("*.c"))]
            if self.products:
                objects = [self.product_object(source) for source in sources]
            else:
                folders = [*self.public_headers(), *(ROOT / "Sources/Capture" / target for target in TARGETS)]
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    objects = list(pool.map(
                        lambda pair: self.compile(pair[1], self.directory / f"product-{pair[0]}.o", folders),
                        enumerate(sources)))
            self.epitaph = self.directory / "epitaph.o"
            run([self.compiler, "-r", "-nostdlib", "-o", self.epitaph, *objects])
        return self.epitaph

    def product_object(self, source):
        target, *rest = source.relative_to(ROOT / "Sources/Capture").parts
        return pathlib.Path(self.products, f"{target}.build", *rest).with_suffix(".c.o")

    def objects(self, names):
        return [self.compile(GUESTS / f"{name}.c", self.directory / f"{name.replace('/', '-')}.o",
                             [GUESTS, *self.public_headers()]) for name in names]

    def tool(self, name):
        return self.link(name, self.objects([name]))

    def link(self, name, objects, flags=()):
        output = self.directory / name
        run([self.compiler, "-rdynamic", *flags, *objects, "-o", output, "-lpthread", "-ldl"])
        return output

    def pair(self, name, sources):
        """The program with Epitaph and the same without it."""
        objects = self.objects(sources)
        return {True: self.link(f"{name}-with", [*objects, self.product()]),
                False: self.link(f"{name}-without", [*objects, *self.objects(["absent"])])}

    def preload(self, name):
        return self.link(f"{name}.so", [*self.objects([name]), self.product()], ["-shared"])

    def installed(self):
        """The preload library that Scripts/install installs."""
        prefix = self.prefix
        if not prefix:
            prefix = self.directory / "epitaph"
            os.environ["CC"] = self.compiler
            run([ROOT / "Scripts/install", "--prefix", prefix, "--sysconfdir", prefix / "etc", "--localstatedir",
                 prefix / "var"])
        return pathlib.Path(prefix) / "lib/epitaph/libepitaph-preload.so"


class Made(Workshop):
    """What a workshop left in its directory, on a machine without a compiler."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory).resolve()
        self.prefix = self.directory / "epitaph"

    def product(self):
        return None

    def objects(self, names):
        return []

    def link(self, name, objects, flags=()):
        return self.directory / name
