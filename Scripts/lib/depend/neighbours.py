# SPDX-License-Identifier: Apache-2.0
"""Packages with the names of those that programs on servers depend on, and next to nothing in them."""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "Tests/PackageNeighbours"
# How packages call a target of C.
C_NAME = re.compile(r"_?C[A-Z]")


@dataclasses.dataclass(frozen=True)
class Neighbour:
    """A line of the table."""

    identity: str
    libraries: tuple
    others: tuple

    @property
    def modules(self):
        return self.libraries + self.others


def table():
    """What Tests/PackageNeighbours/packages.txt says."""
    neighbours = []
    for line in (FOLDER / "packages.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            identity, libraries, others = (part.strip() for part in line.split("|"))
            neighbours.append(Neighbour(identity, tuple(libraries.split()), tuple(others.split())))
    return neighbours


def write_packages(folder):
    """Writes all of them below `folder`. Files that are there with the same text stay as they are, so that SwiftPM need
    not read the manifests another time."""
    for neighbour in table():
        for path, text in files(neighbour).items():
            write(folder / neighbour.identity / path, text)


def files(neighbour):
    found = {"Package.swift": manifest(neighbour)}
    for module in neighbour.modules:
        place = f"Sources/{module}"
        if C_NAME.match(module):
            found[f"{place}/{module}.c"] = given(f"{module}.c", f'#include "{module}.h"\n')
            found[f"{place}/include/{module}.h"] = given(f"{module}.h", "#pragma once\n")
        else:
            found[f"{place}/{module}.swift"] = given(f"{module}.swift", "// Only its name matters.\n")
    return found


def given(name, otherwise):
    """What the programs use of a module is beside the table."""
    path = FOLDER / "Modules" / name
    return path.read_text() if path.exists() else otherwise


def manifest(neighbour):
    others = "".join(f'"{name}", ' for name in neighbour.others)
    libraries = [f'.library(name: "{name}", targets: ["{name}"])' for name in neighbour.libraries]
    targets = [f'.target(name: "{name}")' for name in neighbour.others]
    targets += [f'.target(name: "{name}", dependencies: [{others}{base(name, neighbour)}])'
                for name in neighbour.libraries]
    return (
        "// swift-tools-version: 6.0\nimport PackageDescription\n\n"
        f'let package = Package(\n    name: "{neighbour.identity}",\n    products: [{", ".join(libraries)}],\n'
        f'    targets: [{", ".join(targets)}])\n')


def base(name, neighbour):
    """The library that another one of the package hands on, as Metrics does CoreMetrics."""
    core = f"Core{name}"
    return f'"{core}"' if core in neighbour.libraries else ""


def write(path, text):
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two runs may share the folder: whoever reads meanwhile finds a whole file.
    whole = path.with_name(f".{path.name}.{id(path)}")
    whole.write_text(text)
    whole.replace(path)
