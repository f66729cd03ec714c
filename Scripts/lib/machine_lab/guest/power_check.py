# SPDX-License-Identifier: Apache-2.0
"""Checks what power cuts left against what had been promised. Ends with the number of cuts after which something was
wrong, at most 100."""

import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

from layout import UUID, metadata_fields, read_tree, settings

TOOL = "dump-convert"
UPLOADED = 1


def say(line):
    # The port of say.sh, which only one may open.
    os.write(3, f"{line}\n".encode())


def promises(image, offset, bytes):
    """What was noted behind the file system, in order."""
    image.seek(offset)
    notes = []
    for _ in range(bytes // 512):
        sector = image.read(512)
        if not sector.strip(b"\0"):
            break
        notes.append(sector.decode().split())
    return notes


class Expected:
    """What has to be in the database."""

    def __init__(self, notes):
        self.client = None
        self.filed, self.sent, self.removed = set(), set(), set()
        self.is_pruning = False
        for word, *rest in notes:
            if word == "client":
                self.client = rest[0]
            elif word == "pruning":
                self.is_pruning = True
            elif word == "pruned":
                self.is_pruning = False
            else:
                {"filed": self.filed, "sent": self.sent, "removed": self.removed}[word].add(rest[0])


def is_whole(minidump):
    """Whether all that the directory of a minidump names is in the file."""
    if len(minidump) < 32 or minidump[:4] != b"MDMP":
        return False
    count, directory = struct.unpack_from("<II", minidump, 8)
    if directory + 12 * count > len(minidump):
        return False
    streams = (struct.unpack_from("<III", minidump, directory + 12 * index) for index in range(count))
    return all(offset + size <= len(minidump) for _, size, offset in streams)


def found_reports(tree, wrong):
    """The state of each report, and whether it says that it was sent."""
    found = {}
    for path, contents in tree.items():
        directory, _, name = path.partition("/")
        if directory not in ("pending", "completed") or not name.endswith(".dmp"):
            continue
        uuid = name[:-4]
        if uuid in found:
            wrong.append(f"{uuid} is in two states")
        if not is_whole(contents):
            wrong.append(f"{path} is not whole")
        fields = metadata_fields(tree.get(f"{directory}/{uuid}.meta"))
        if fields is None:
            # Moving puts metadata first, and what is left of an interrupted move is settled by whoever opens the database.
            wrong.append(f"{path} has no whole metadata")
        found[uuid] = (directory, bool(fields and fields.attributes & UPLOADED))
    return found


def check_promises(tree, expected, when, wrong):
    problems = []
    found = found_reports(tree, problems)
    for uuid in expected.filed - expected.removed:
        if uuid not in found and not expected.is_pruning:
            problems.append(f"{uuid} was filed and is gone")
    for uuid in expected.removed & set(found):
        problems.append(f"{uuid} was removed and is back")
    for uuid in (expected.sent & set(found)) - {uuid for uuid, state in found.items() if state == ("completed", True)}:
        problems.append(f"{uuid} was sent, and says {found[uuid]}")
    if expected.client:
        kept = settings(tree)
        if kept in (None, "broken") or not kept[1]:
            problems.append(f"the settings are {kept}")
    wrong += [f"{when}: {problem}" for problem in problems]


def check_launches(tree, wrong):
    for path, contents in tree.items():
        if path.startswith("launches/") and path.endswith(".json"):
            try:
                json.loads(contents)
            except ValueError:
                wrong.append(f"{path} is no JSON")
        # Nothing synchronises a dump.
        if path.startswith("quarantine/") and contents and contents[0] or path.startswith("settings.dat."):
            wrong.append(f"{path} was put aside")


def tool(wrong, *words):
    result = subprocess.run([TOOL, *words], capture_output=True, text=True)
    # Nothing synchronises a dump.
    dumps = [line for line in result.stderr.splitlines() if "/pending-dumps/" in line]
    are_lost = dumps and all("it begins with zeros" in line or "the file is empty" in line for line in dumps)
    if result.returncode and not are_lost:
        wrong.append(f"{' '.join(words[:1])} ended with {result.returncode}: {result.stderr[-600:]}")
    return result.stdout.splitlines()


def look(number, directory, notes):
    """What is wrong in the database of one cut; how many reports it has."""
    wrong = []
    database = directory / "work/db"
    expected = Expected(notes)
    if not database.is_dir():
        return ["the database is gone"] if expected.client else [], 0
    before = read_tree(database)
    # Lone and doubled metadata of an interrupted move are right before somebody opens the database; minidumps are not.
    unsettled = []
    check_promises(before, expected, "after the cut", unsettled)
    wrong += [problem for problem in unsettled if "no whole metadata" not in problem]
    if expected.client:
        kept = json.loads("".join(tool(wrong, "settings", "--database", str(database), "--json")) or "{}")
        if kept.get("clientID") != expected.client:
            wrong.append(f"the client id is {kept.get('clientID')}, not {expected.client}")
    tool(wrong, "process", "--database", str(database), "--all", "--max-count", "0")
    after = read_tree(database)
    check_promises(after, expected, "after the next pass", wrong)
    check_launches(after, wrong)
    tool(wrong, "upload", "--database", str(database), "--url", "post:http://127.0.0.1:8080/", "--now",
         "--reports-per-min", "0")
    last = read_tree(database)
    left = []
    found = found_reports(last, left)
    wrong += left + [f"{uuid} cannot be sent" for uuid, state in found.items() if state != ("completed", True)]
    dumps = [path for path in last if path.startswith("pending-dumps/")]
    wrong += [f"{path} stays" for path in dumps]
    return wrong, len(found)


def copied(disk, number, plan):
    """The files of one cut, read from its file system, and its notes."""
    size, notes_bytes = plan["bytes"], plan["notes"]
    start = number * (size + notes_bytes)
    loop = subprocess.run(["losetup", "--find", "--show", "-o", str(start), "--sizelimit", str(size), disk], check=True,
                          capture_output=True, text=True).stdout.strip()
    options = "nouuid" if plan["file_system"] == "xfs" else "rw"
    target = pathlib.Path("/lab/copies", str(number))
    if plan["file_system"] == "btrfs":
        # All cuts are of one file system, and the kernel takes none that is older than one it was told of. udev tells it of
        # the disk, whose first cut it sees, and of each cut that was mounted before.
        subprocess.run(["modprobe", "btrfs"], check=True)
        subprocess.run(["udevadm", "settle", "--timeout=20"], check=False)
        subprocess.run(["btrfs", "device", "scan", "--forget"], check=True)
    mounted = subprocess.run(["mount", "-t", plan["file_system"], "-o", options, loop, "/lab/data"],
                             capture_output=True, text=True)
    try:
        if mounted.returncode:
            kernel = subprocess.run(["dmesg"], capture_output=True, text=True).stdout.splitlines()[-6:]
            return None, [f"it cannot be mounted: {' | '.join(kernel)}"]
        shutil.copytree("/lab/data", target, symlinks=True)
        subprocess.run(["umount", "/lab/data"], check=True)
    finally:
        subprocess.run(["losetup", "-d", loop], check=False)
    with open(disk, "rb") as image:
        return target, promises(image, start + size, notes_bytes)


def main():
    plan = json.loads(pathlib.Path("/lab/plan.json").read_text())
    totals = collections.Counter()

    def examine(number, target, notes):
        if target is None:
            return number, notes, 0, Expected([])
        wrong, reports = look(number, target, notes)
        shutil.rmtree(target)
        return number, wrong, reports, Expected(notes)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(examine, number, *copied(sys.argv[1], number, plan)) for number in range(plan["cuts"])]
        for future in concurrent.futures.as_completed(futures):
            number, wrong, reports, expected = future.result()
            totals["cuts"] += 1
            totals["wrong"] += bool(wrong)
            totals["reports"] += reports
            totals["promises"] += len(expected.filed) + len(expected.sent) + len(expected.removed)
            for problem in wrong[:5]:
                say(f"FAILED: cut {number}: {problem}")
    say(f"figure: {totals['cuts']} cuts, {totals['promises']} promises, {totals['reports']} reports at the end")
    sys.exit(min(totals["wrong"], 100))


main()
