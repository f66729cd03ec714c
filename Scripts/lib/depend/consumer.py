# SPDX-License-Identifier: Apache-2.0
"""A package that depends on Epitaph and on all of its neighbours."""

import json
import os
import shutil
import subprocess

from depend import neighbours, repository

VARIABLES = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR")
# What packages for servers have their compiler check.
MANIFEST = """// swift-tools-version: 6.0
import PackageDescription

let beside: [Target.Dependency] = [
{beside}
]
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "consumer",
    dependencies: [
        {requirement},
{packages}
    ],
    targets: [
{targets}
    ])
"""
TARGET = """        .executableTarget(
            name: "{name}", dependencies: [.product(name: "{product}", package: "{package}")] + beside,
            swiftSettings: strict),"""


class Consumer:
    """In a folder of its own; SwiftPM keeps nothing elsewhere but manifests that it has read, in `kept`."""

    def __init__(self, folder, kept, requirement, package):
        """`requirement` is how the manifest depends on Epitaph, `package` what it calls it then."""
        self.folder, self.kept = folder, kept
        self.requirement, self.package = requirement, package

    @classmethod
    def by_path(cls, folder, kept, package):
        return cls(folder, kept, f'.package(name: "Epitaph", path: "{package}")', "Epitaph")

    @classmethod
    def by_version(cls, folder, kept, package):
        repository.make(folder / "epitaph.git", package)
        url = f"file://{folder}/epitaph.git"
        return cls(folder, kept, f'.package(url: "{url}", from: "{repository.VERSION}")', "epitaph")

    def write(self, programs):
        """`programs` are targets: name, the product they depend on, and the folder with their sources, or None."""
        table = neighbours.table()
        neighbours.write(self.folder / "consumer/Package.swift", MANIFEST.format(
            requirement=self.requirement,
            beside="\n".join(f'    .product(name: "{name}", package: "{neighbour.identity}"),'
                             for neighbour in table for name in neighbour.libraries),
            packages="\n".join(f'        .package(path: "{self.kept}/neighbours/{neighbour.identity}"),'
                               for neighbour in table),
            targets="\n".join(TARGET.format(name=name, product=product, package=self.package)
                              for name, product, _ in programs)))
        for name, _, sources in programs:
            if sources:
                shutil.copytree(sources, self.folder / "consumer/Sources" / name, dirs_exist_ok=True)
            else:
                neighbours.write(self.folder / "consumer/Sources" / name / "main.swift", "// Never compiled.\n")

    def load_graph(self, products):
        """Has SwiftPM put the graph of packages together, with a program for each product. That is where it refuses
        modules of one name. Returns its complaints."""
        self.write([(f"Uses{product}", product, None) for product in products])
        answer = self.swift("package", "show-dependencies", "--format", "json")
        if answer.returncode != 0:
            return errors(answer)
        found = [dependency["identity"] for dependency in json.loads(answer.stdout)["dependencies"]]
        return [] if len(found) == len(neighbours.table()) + 1 else [f"the graph has only {found}"]

    def swift(self, *words):
        options = ["--package-path", self.folder / "consumer", "--scratch-path", self.folder / "scratch"]
        return swift(*words, options=options, work=self.folder, kept=self.kept)


def swift(command, *words, options, work, kept):
    # What SwiftPM would share with other packages goes to folders of ours.
    apart = ["--cache-path", kept / "cache", "--disable-dependency-cache", "--config-path", work / "configuration",
             "--security-path", work / "security"]
    # SwiftPM reads all manifests again when any variable has changed.
    variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    return subprocess.run([str(word) for word in ("swift", command, *options, *apart, *words)], cwd=work,
                          env=variables, capture_output=True, text=True)


def errors(answer):
    lines = (answer.stdout + answer.stderr).splitlines()
    found = {line.strip() for line in lines if "error:" in line}
    return sorted(found) or lines[-20:] or [f"swift ended with {answer.returncode}"]
