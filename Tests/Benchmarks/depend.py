#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a daemon pays for depending on Epitaph: seconds of a clean debug build, by the clock and of processor time, and the stripped size of its program.

    depend.py RUNS WORK

Builds a daemon of a few lines with nothing, with EpitaphCapture and with Epitaph, once without and once with Foundation of its
own, in packages that depend on this one by path."""

import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What is depended on, and the line that starts it.
PRODUCTS = {
    "nothing": "",
    "EpitaphCapture": 'try? Epitaph.startCapture(databasePath: "/tmp/hello", bundleID: "org.example.hello")',
    "Epitaph": 'Epitaph.start(.init(databasePath: "/tmp/hello", bundleID: "org.example.hello"))',
}
# What the daemon does itself.
DAEMONS = {
    "without Foundation": ("", 'print("listening")'),
    "with Foundation": ("import Foundation", 'print("listening since \\(Date()), \\(ProcessInfo.processInfo.hostName)")'),
}
KINDS = {"dynamic": [], "static": ["--static-swift-stdlib"]}


def run(*words, cwd):
    answer = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(f"depend: {' '.join(map(str, words))} failed\n{answer.stdout[-3000:]}{answer.stderr[-3000:]}")
    return answer.stdout.strip()


def write_package(folder, product):
    depends = "" if product == "nothing" else f'.product(name: "{product}", package: "Epitaph")'
    packages = "" if product == "nothing" else f'.package(name: "Epitaph", path: "{ROOT}")'
    (folder / "Sources/hello").mkdir(parents=True)
    (folder / "Package.swift").write_text(
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        f'let package = Package(name: "hello", dependencies: [{packages}], '
        f'targets: [.executableTarget(name: "hello", dependencies: [{depends}])])\n')


def write_daemon(folder, product, daemon):
    imports, body = DAEMONS[daemon]
    lines = [imports, "" if product == "nothing" else f"import {product}", PRODUCTS[product], body]
    (folder / "Sources/hello/main.swift").write_text("\n".join(line for line in lines if line) + "\n")


def seconds_of_build(folder):
    shutil.rmtree(folder / ".build", ignore_errors=True)
    # The manifests are read beforehand.
    run("swift", "package", "describe", cwd=folder)
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run("swift", "build", cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # On a busy machine only the processor's is worth comparing.
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, used


def stripped_size(folder, flags):
    words = ["swift", "build", "-c", "release", *flags]
    run(*words, cwd=folder)
    program = folder / "stripped"
    shutil.copy(pathlib.Path(run(*words, "--show-bin-path", cwd=folder)) / "hello", program)
    run("strip", "-s", program, cwd=folder)
    return program.stat().st_size


def measured(folder, product, runs):
    """Seconds by the clock and of the processor, and megabytes by daemon and kind."""
    write_package(folder, product)
    write_daemon(folder, product, next(iter(DAEMONS)))
    builds = [seconds_of_build(folder) for _ in range(runs)]
    seconds = [statistics.median(times) for times in zip(*builds)]
    sizes = {}
    for kind, flags in KINDS.items():
        for daemon in DAEMONS:
            write_daemon(folder, product, daemon)
            sizes[daemon, kind] = stripped_size(folder, flags) / 1e6
    shutil.rmtree(folder)
    return seconds, sizes


def main():
    # A build of the whole takes a minute.
    runs, work = min(int(sys.argv[1]), 3), pathlib.Path(sys.argv[2])
    columns = [(daemon, kind) for daemon in DAEMONS for kind in KINDS]
    headings = [f"{kind}, {daemon}, MB" for daemon, kind in columns]
    print(f"| a daemon that depends on | clean debug build, s | processor, s | {' | '.join(headings)} |")
    print("|---|---|---|" + "---|" * len(columns))
    bare = None
    for product in PRODUCTS:
        seconds, sizes = measured(work / f"daemon-{product}", product, runs)
        bare = bare or (seconds, sizes)
        cells = [f"{now:.1f} (+{now - then:.1f})" for now, then in zip(seconds, bare[0])]
        cells += [f"{sizes[column]:.2f} (+{sizes[column] - bare[1][column]:.2f})" for column in columns]
        print(f"| {product} | {' | '.join(cells)} |", flush=True)


main()
