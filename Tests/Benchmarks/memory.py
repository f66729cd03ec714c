# SPDX-License-Identifier: Apache-2.0
"""memory.py RUNS PRODUCTS WORK: memory of a program at rest, with Epitaph and without, as a table.

Memory of its own that it has written to (Anonymous of smaps_rollup, proc(5)) is what a program takes
from the machine for itself. What is resident besides are pages of files, which the kernel drops
when it needs them.
"""
import os
import signal
import statistics
import subprocess
import sys
import time

SETTLING_SECONDS = 3


def memory(arguments):
    """Resident memory of a program at rest, and the part of it that belongs to no file, kB."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"idle\n", arguments
        # Epitaph goes on in the background after its start.
        time.sleep(SETTLING_SECONDS)
        fields = {}
        with open(f"/proc/{process.pid}/smaps_rollup", encoding="ascii") as rollup:
            for line in list(rollup)[1:]:
                name, value = line.split()[:2]
                fields[name.rstrip(":")] = int(value)
        return fields["Rss"], fields["Anonymous"]
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def main():
    runs, products, work = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    without, within = [], []
    for run in range(runs):
        without.append(memory([f"{products}/baseline"]))
        within.append(memory([f"{products}/EpitaphBench", "idle", f"{work}/idle-{run}"]))
    print("| memory at rest, kB | resident | of it not of a file |")
    print("|---|---|---|")
    rows = [[statistics.median(each[column] for each in runs) for column in (0, 1)] for runs in (without, within)]
    rows.append([rows[1][column] - rows[0][column] for column in (0, 1)])
    for name, row in zip(("without Epitaph", "with Epitaph as it is unless set", "more"), rows):
        print(f"| {name} | {row[0]:.0f} | {row[1]:.0f} |")


main()
