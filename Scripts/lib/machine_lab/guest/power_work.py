# SPDX-License-Identifier: Apache-2.0
"""What goes on while the power is cut. Each promise that the product has made is noted at once, behind the file system
on the same disk, so that the order of promises and writes is known."""

import glob
import json
import mmap
import os
import subprocess
import sys
import threading
import time

DATABASE = "/lab/data/work/db"
TOOL = "dump-convert"
LIBRARY = glob.glob("/lab/epitaph/usr/lib/*/epitaph/libepitaph-preload.so")[0]


class Notes:
    """Lines of at most a sector, written past all caches of the machine."""

    def __init__(self, disk, offset):
        self.disk = os.open(disk, os.O_WRONLY | os.O_DIRECT)
        self.next = offset
        self.lock = threading.Lock()
        self.sector = mmap.mmap(-1, 512)

    def note(self, *words):
        with self.lock:
            line = " ".join(words).encode()
            self.sector[:] = line.ljust(512, b"\n")
            os.pwrite(self.disk, self.sector, self.next)
            self.next += 512


def say(line):
    # The port of say.sh, which only one may open.
    os.write(3, f"{line}\n".encode())


def tool(*words):
    result = subprocess.run([TOOL, *words], capture_output=True, text=True)
    if result.returncode:
        say(f"FAILED: {' '.join(words)} ended with {result.returncode}: {result.stderr[-300:]!r}")
    return result.stdout.splitlines()


def crash(notes, number):
    surroundings = {**os.environ, "LD_PRELOAD": LIBRARY, "EPITAPH_DATABASE": DATABASE,
                    "EPITAPH_BUNDLE_ID": f"com.example.shop{number}"}
    while True:
        subprocess.run(["/lab/daemon", "now"], env=surroundings, stdout=subprocess.DEVNULL)
        time.sleep(0.5)


def convert(notes):
    while True:
        lines = tool("process", "--database", DATABASE, "--all", "--max-count", "0")
        for line in lines:
            notes.note("filed", line.split()[0])


def upload(notes):
    while True:
        time.sleep(1)
        lines = tool("upload", "--database", DATABASE, "--url", "post:http://127.0.0.1:8080/", "--reports-per-min", "0")
        for line in lines:
            notes.note("sent", line.split()[0])


def prune(notes):
    while True:
        time.sleep(6)
        notes.note("pruning")
        for line in tool("prune", "--database", DATABASE, "--max-count", "8"):
            notes.note("removed", line.split()[0])
        notes.note("pruned")


def main():
    notes = Notes(sys.argv[1], int(sys.argv[2]))
    tool("settings", "--database", DATABASE, "--enable-uploads")
    settings = json.loads("".join(tool("settings", "--database", DATABASE, "--json")))
    notes.note("client", settings["clientID"])
    jobs = [(crash, 1), (crash, 2), (convert,), (upload,), (prune,)]
    say("working")
    for job, *words in jobs:
        threading.Thread(target=job, args=(notes, *words)).start()


main()
