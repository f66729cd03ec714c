#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what many reports cost, on an ext4 file system whose synchronisations take 4 ms, and prints the tables of
docs/performance.md:

- `dump-convert process --all` of 2,000 small dumps;
- `dump-convert upload` of 1,000 small reports to a server on this machine, and curl in a loop over the same bodies;
- `dump-convert list` of 10,000 and of 100,000 reports, and `list --group` of 2,000, the first time and the second.

usage: many.py RUNS PRODUCTS WORK [OLD]    OLD: a dump-convert of an earlier revision, to be compared with
"""

import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import time
import uuid

sys.dont_write_bytecode = True
import upload  # noqa: E402

RUNS, PRODUCTS, WORK = upload.RUNS, upload.PRODUCTS, upload.WORK
OLD = sys.argv[4] if len(sys.argv) > 4 else None
PROGRAMS = {"new": upload.CONVERT, **({"old": OLD} if OLD else {})}
HERE = os.path.dirname(os.path.abspath(__file__))
DUMPS, SENT, LISTED, GROUPED = 2000, 1000, (10_000, 100_000), 2000
# Of each file of a report, to spare the disk.
LINKS = 10


class Disk:
    """A file system of its own in an image, and a library that makes its synchronisations slow."""

    def __enter__(self):
        self.path = f"{WORK}/disk"
        os.makedirs(self.path)
        image = f"{WORK}/image"
        subprocess.run(["truncate", "-s", "3G", image], check=True)
        subprocess.run(["mkfs.ext4", "-q", image], check=True)
        mounted = subprocess.run(["mount", "-o", "loop", image, self.path], stderr=subprocess.DEVNULL)
        self.is_mounted = mounted.returncode == 0
        if not self.is_mounted:
            print(f"not allowed to mount: measured on the file system of {WORK}\n")
        self.library = f"{WORK}/slow_disk.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.library, f"{HERE}/slow_disk.c", "-ldl"], check=True)
        return self

    def __exit__(self, *_):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.path], check=True)

    def environment(self):
        return {**os.environ, "LD_PRELOAD": self.library}


def dump():
    """The path of the dump of a small daemon's crash."""
    subprocess.run([f"{PRODUCTS}/EpitaphBench", "busy", f"{WORK}/seed", "threads", "1", "0"], **upload.QUIET)
    folder = f"{WORK}/seed/pending-dumps"
    (name,) = [name for name in os.listdir(folder) if "@" in name]
    return f"{folder}/{name}"


def fill_with_dumps(database, source, count):
    shutil.rmtree(database, ignore_errors=True)
    os.makedirs(f"{database}/pending-dumps", mode=0o700)
    bundle = os.path.basename(source).split("@")[0]
    for _ in range(count):
        target = f"{database}/pending-dumps/{bundle}@{uuid.uuid4()}"
        shutil.copyfile(source, target)
        os.chmod(target, 0o600)


def fill_with_links(database, source, count):
    """Reports as Epitaph files them, with the time of the crash in the metadata: a second apart, in no order of ids."""
    upload.fill(database, source, count // LINKS)
    pending, now = f"{database}/pending", int(time.time())
    filed = [entry.name.removesuffix(".dmp") for entry in os.scandir(pending) if entry.name.endswith(".dmp")]
    for one in filed:
        for turn in range(LINKS):
            name = one if turn == 0 else str(uuid.uuid4())
            if turn:
                os.link(f"{pending}/{one}.dmp", f"{pending}/{name}.dmp")
            crashed = (now - random.randrange(10 * count)) * 1_000_000
            with open(f"{pending}/{name}.meta", "wb") as file:
                file.write(struct.pack("<iiqqB", 1, 0, 0, now, 0x80) + crashed.to_bytes(7, "little"))


def measured(arguments, environment=None):
    """Seconds, processor seconds and peak memory in MB."""
    report = f"{WORK}/time"
    start = time.perf_counter()
    subprocess.run(["/usr/bin/time", "-f", "%U %S %M", "-o", report, *arguments], check=True, env=environment, **upload.QUIET)
    seconds = time.perf_counter() - start
    with open(report) as lines:
        user, system, peak = map(float, re.findall(r"[\d.]+", lines.read().splitlines()[-1]))
    return seconds, user + system, peak / 1000


def median(rows):
    return [statistics.median(column) for column in zip(*rows)]


def process_table(disk, source):
    rows = {name: [] for name in PROGRAMS}
    for _ in range(RUNS):
        for name, program in PROGRAMS.items():
            fill_with_dumps(f"{disk.path}/dumps", source, DUMPS)
            os.sync()
            # Older programs have no limit.
            unbounded = ["--max-count", "0"] if name == "new" else []
            command = [program, "process", "--all", *unbounded, "--database", f"{disk.path}/dumps"]
            rows[name].append(measured(command, disk.environment()))
            filed = sum(entry.endswith(".dmp") for entry in os.listdir(f"{disk.path}/dumps/pending"))
            if filed != DUMPS:
                sys.exit(f"{filed} of {DUMPS} dumps became reports")
    print(f"| `process --all` of {DUMPS:,} small dumps, a synchronisation 4 ms | s | processor time of one, ms |\n|---|---|---|")
    for name, values in rows.items():
        seconds, processor, _ = median(values)
        print(f"| {name} | {seconds:.1f} | {processor * 1000 / DUMPS:.2f} |")
    print()


def upload_table(disk, source):
    url = upload.serve()
    bodies, database = f"{WORK}/bodies", f"{disk.path}/reports"
    os.makedirs(bodies)
    upload.fill(database, source, 1)
    upload.Collector.keep = bodies
    subprocess.run(upload.upload(database, url), check=True, **upload.QUIET)
    upload.Collector.keep = None
    with open(f"{bodies}/0.type") as file:
        kind = file.read()
    loop = (f'for i in $(seq {SENT}); do curl -s -o /dev/null -H "Content-Type: {kind}" -H "Content-Encoding: gzip" '
            f'--data-binary @{bodies}/0 {url} || exit 1; done')
    rows = {name: [] for name in [*PROGRAMS, "curl"]}
    for _ in range(RUNS):
        for name, program in PROGRAMS.items():
            upload.fill(database, source, SENT)
            os.sync()
            before = upload.Collector.taken
            rows[name].append(measured([program, *upload.upload(database, url)[1:]], disk.environment()))
            upload.expect(SENT, before)
        rows["curl"].append(measured(["bash", "-c", loop]))
    own = median(rows["new"])[0]
    print(f"| {SENT:,} small reports to a server on this machine, a synchronisation 4 ms | s | times `upload` |\n|---|---|---|")
    for name, values in rows.items():
        seconds = median(values)[0]
        label = "`curl` in a loop over the same bodies" if name == "curl" else name
        print(f"| {label} | {seconds:.2f} | {seconds / own:.2f} |")
    print()


def list_table(options, source, count, runs):
    words = " ".join(["list", *options])
    print(f"| `{words}` of {count:,} | first, s | of these processor | then, s | of these processor | peak memory, MB; then |")
    print("|---|---|---|---|---|---|")
    for name, program in PROGRAMS.items():
        rows = []
        for _ in range(runs):
            database = f"{WORK}/listed"
            fill_with_links(database, source, count)
            command = [program, "list", *options, "--database", database]
            first, then = measured(command), measured(command)
            rows.append((*first, *then))
        first, used, peak, then, then_used, then_peak = median(rows)
        print(f"| {name} | {first:.2f} | {used:.2f} | {then:.2f} | {then_used:.2f} | {peak:.0f}; {then_peak:.0f} |", flush=True)
    print()


def main():
    with Disk() as disk:
        source = dump()
        process_table(disk, source)
        report = upload.minidump("small", 1, 0)
        upload_table(disk, report)
        for count in LISTED:
            list_table([], report, count, RUNS)
        list_table(["--group"], report, GROUPED, 1)


if __name__ == "__main__":
    main()
