# SPDX-License-Identifier: Apache-2.0
"""Measures what happens after a crash and prints one table of docs/performance.md.

usage: explain.py convert|show|unwind RUNS PRODUCTS WORK
"""
import glob
import os
import statistics
import subprocess
import sys
import time

TABLE, RUNS, PRODUCTS, WORK = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
CONVERT = f"{PRODUCTS}/dump-convert"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def dump(name, *arguments, core=None):
    """The intermediate dump of a busy daemon that crashed; with a core file of the same crash."""
    database = f"{WORK}/{name}"
    daemon = [f"{PRODUCTS}/EpitaphBench", "busy", database, *map(str, arguments)]
    if core:
        # gdb stops at the signal, before the program's handler, and then passes it on.
        subprocess.run(
            ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "run",
             "-ex", f"generate-core-file {core}", "-ex", "continue", "--args", *daemon],
            stdin=subprocess.DEVNULL, check=True, **QUIET)
    else:
        subprocess.run(daemon, **QUIET)
    found = [path for path in glob.glob(f"{database}/pending-dumps/*") if "locked" not in path]
    if len(found) != 1:
        sys.exit(f"{' '.join(daemon)} left {len(found)} dumps")
    return found[0]


def timed(arguments, output=None):
    start = time.perf_counter()
    subprocess.run(arguments, check=True, stdout=output or subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return time.perf_counter() - start


def medians(ways, runs=RUNS):
    """Milliseconds of each way; they take turns, so that noise affects them equally."""
    times = {name: [] for name in ways}
    for turn in range(runs + 1):
        for name, way in ways.items():
            seconds = way()
            # The first round fills caches.
            if turn > 0:
                times[name].append(seconds * 1000)
    return {name: statistics.median(values) for name, values in times.items()}


def megabytes(path):
    return os.path.getsize(path) / 1e6


def peak(arguments):
    """Peak resident memory in MB. time(1) is small, so the figure is its child's."""
    report = f"{WORK}/time"
    subprocess.run(["/usr/bin/time", "-f", "%M", "-o", report, *arguments], check=True, **QUIET)
    with open(report) as lines:
        return int(lines.read().split()[-1]) / 1000


def convert():
    source, target = dump("thousand", "threads", 1000, 64), f"{WORK}/out"

    def copy():
        if os.path.exists(target):
            os.unlink(target)
        return timed(["cp", source, target])

    def converted():
        # To standard output, because a file it makes itself is synchronised to the disk.
        with open(target, "wb") as file:
            return timed([CONVERT, "convert", source, "-o", "-"], output=file)

    times = medians({"cp": copy, "convert": converted})
    print(f"| a dump of 1,000 threads, {megabytes(source):.0f} MB | ms | times `cp` |\n|---|---|---|")
    for name, label in (("cp", "`cp DUMP FILE`"), ("convert", "`dump-convert convert DUMP -o - > FILE`")):
        print(f"| {label} | {times[name]:.1f} | {times[name] / times['cp']:.2f} |")
    print("\n| size of the dump, MB | threads | peak memory of `convert`, MB |\n|---|---|---|")
    small = dump("small", "threads", 10, 64)
    large = dump("large", "threads", 1000, 590)
    for path, threads in ((small, "10"), (source, "1,000"), (large, "1,000")):
        arguments = [CONVERT, "convert", path, "--force", "-o", target]
        print(f"| {megabytes(path):.1f} | {threads} | {peak(arguments):.1f} |")


def show():
    core = f"{WORK}/core"
    source = dump("hundred", "threads", 100, 0, core=core)
    ways = {
        "show": lambda: timed([CONVERT, "show", "--all-threads", source]),
        "lldb": lambda: timed(
            ["/usr/bin/lldb", "--no-lldbinit", "-b", f"{PRODUCTS}/EpitaphBench", "-c", core,
             "-o", "bt all"]),
    }
    times = medians(ways)
    print("| the crash of a Swift daemon with 100 threads | ms | times `show` |\n|---|---|---|")
    for name, label in (("show", "`dump-convert show --all-threads DUMP`"),
                        ("lldb", "`lldb EpitaphBench -c CORE -o 'bt all'`")):
        print(f"| {label} | {times[name]:.0f} | {times[name] / times['show']:.2f} |")


def unwind():
    victims = (
        ("100 threads of a Swift daemon", dump("unwound", "threads", 100, 0)),
        ("a recursion of 100,000", dump("deep", "recursion", 100_000)),
    )
    print("| unwinding | frames | µs a frame |\n|---|---|---|")
    for label, path in victims:
        result = subprocess.run([f"{PRODUCTS}/EpitaphBench", "unwind", path, str(RUNS)],
                                check=True, capture_output=True, text=True)
        microseconds, frames = result.stdout.split()
        print(f"| {label} | {int(frames):,} | {float(microseconds):.2f} |")


{"convert": convert, "show": show, "unwind": unwind}[TABLE]()
