# SPDX-License-Identifier: Apache-2.0
"""What Scripts/object-store looks at: a store that checks signatures, and the reports that are sent to it."""

import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import uuid

BUCKET = "crashes"
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
# A program that believes it is another time: clock_gettime(2) of CLOCK_REALTIME, shifted.
SHIFTED_CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    const char *shift = getenv("CLOCK_SHIFT_S");
    if (result == 0 && clock == CLOCK_REALTIME && shift != NULL) time->tv_sec += atol(shift);
    return result;
}
"""


class Wrong(Exception):
    """Something is not as it should be."""


def expect(condition, words):
    if not condition:
        raise Wrong(words)


class Reports:
    """A database with reports of a real crash, each with a minidump of its own."""

    def __init__(self, work, tools):
        self.tools = pathlib.Path(tools)
        self.work = pathlib.Path(work)
        self.convert = str(self.tools / "dump-convert")
        database = self.work / "first"
        subprocess.run([str(self.tools / "CEpitaphVictim"), str(database), "abort"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        self.run("process", "--database", str(database))
        (self.sample,) = (database / "pending").glob("*.dmp")
        self.shim = self.work / "clock.so"
        source = self.work / "clock.c"
        source.write_text(SHIFTED_CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", str(source), "-ldl", "-o", str(self.shim)], check=True)

    def run(self, *arguments, environment=None, seconds=120):
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "EPITAPH_"))}
        variables |= {"no_proxy": "*", "HOME": str(self.work), **(environment or {})}
        return subprocess.run([self.convert, *arguments], env=variables, timeout=seconds, check=False, **QUIET)

    def database(self, count=1, extra_bytes=0):
        """A new database with `count` reports; `extra_bytes` of noise make each minidump larger."""
        path = self.work / f"db-{uuid.uuid4()}"
        shutil.copytree(self.sample.parent.parent, path)
        first = path / "pending" / self.sample.name
        metadata = first.with_suffix(".meta").read_bytes()
        contents = first.read_bytes()
        for _ in range(count):
            target = path / "pending" / f"{uuid.uuid4()}.dmp"
            target.write_bytes(contents + random.Random(str(target)).randbytes(extra_bytes))
            target.with_suffix(".meta").write_bytes(metadata)
        for file in (first, first.with_suffix(".meta")):
            file.unlink()
        return path

    def upload(self, database, url, *options, environment=None):
        return self.run("upload", "--database", str(database), "--url", url, "--once", "--retry-limit", "0",
                        "--reports-per-min", "0", *options, environment=environment)


def keys(store, secret=None):
    return {"AWS_ACCESS_KEY_ID": store.KEY_ID, "AWS_SECRET_ACCESS_KEY": secret or store.SECRET,
            "AWS_REGION": store.region}


def names(database, folder="pending"):
    return {path.stem for path in (database / folder).glob("*.dmp")}


def check_whole(store, database, prefix, originals):
    """Each report is there once, whole, with its JSON, and nothing else is."""
    objects = {entry["name"]: entry for entry in store.objects(BUCKET) if entry["name"].startswith(prefix)}
    expect(set(objects) == {f"{prefix}{name}{suffix}" for name in originals for suffix in (".dmp", ".json")},
           f"the bucket has {sorted(objects)}")
    for name, digest in originals.items():
        headers, body = store.fetch(BUCKET, f"{prefix}{name}.dmp")
        if headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        expect(hashlib.sha256(body).digest() == digest, f"{name} is not what was sent")
        _, entry = store.fetch(BUCKET, f"{prefix}{name}.json")
        entry = json.loads(entry)
        expect(entry["id"] == name and entry["minidump"]["bytes"] == len(body), f"the JSON of {name} is wrong")
    expect(not names(database), "reports are still pending")


def digests(database):
    return {path.stem: hashlib.sha256(path.read_bytes()).digest() for path in (database / "pending").glob("*.dmp")}


@contextlib.contextmanager
def stopped(store, name):
    store.stop(name, signal.SIGKILL)
    try:
        yield
    finally:
        store.run(name)


def send_until_done(reports, database, url, environment, seconds=120):
    """Passes until nothing is pending: how many it took."""
    deadline = time.monotonic() + seconds
    passes = 0
    while names(database):
        expect(time.monotonic() < deadline, f"{len(names(database))} reports are still pending after {seconds} s")
        reports.upload(database, url, "--now", environment=environment)
        passes += 1
    return passes
