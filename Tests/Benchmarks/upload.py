# SPDX-License-Identifier: Apache-2.0
"""Measures what sending reports takes and prints a table of docs/performance.md.

usage: upload.py RUNS PRODUCTS WORK

WORK should be in memory, to leave out the disk's time for synchronising, which curl does not need.
"""
import http.server
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import threading
import time
import uuid

RUNS, PRODUCTS, WORK = int(sys.argv[1]), sys.argv[2], sys.argv[3]
CONVERT = f"{PRODUCTS}/dump-convert"
REPORTS = 1000
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Collector(http.server.BaseHTTPRequestHandler):
    """Accepts everything; keeps the bodies if `keep` is a directory."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    keep = None
    taken = 0

    def do_POST(self):
        left = int(self.headers["Content-Length"])
        kept = bytearray() if Collector.keep else None
        while left > 0:
            piece = self.rfile.read(min(left, 1 << 20))
            if not piece:
                return
            left -= len(piece)
            if kept is not None:
                kept += piece
        if kept is not None:
            with open(f"{Collector.keep}/{Collector.taken}", "wb") as file:
                file.write(kept)
            with open(f"{Collector.keep}/{Collector.taken}.type", "w") as file:
                file.write(self.headers["Content-Type"])
        Collector.taken += 1
        answer = b"%032x" % Collector.taken
        self.send_response_only(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/submit"


def minidump(name, threads, kibibytes):
    """The path of a minidump of a daemon that crashed with this many threads and this much stack each."""
    database = f"{WORK}/{name}"
    subprocess.run([f"{PRODUCTS}/EpitaphBench", "busy", database, "threads", str(threads), str(kibibytes)], **QUIET)
    subprocess.run([CONVERT, "process", "--database", database], check=True, **QUIET)
    (report,) = [entry.path for entry in os.scandir(f"{database}/pending") if entry.name.endswith(".dmp")]
    return report


def fill(database, source, count):
    """A database in Crashpad's layout with `count` pending reports."""
    shutil.rmtree(database, ignore_errors=True)
    for folder in ("new", "pending", "completed", "attachments"):
        os.makedirs(f"{database}/{folder}", mode=0o700)
    metadata = struct.pack("<iiqqB7x", 1, 0, 0, int(time.time()), 0)
    for _ in range(count):
        name = f"{database}/pending/{uuid.uuid4()}"
        shutil.copyfile(source, name + ".dmp")
        with open(name + ".meta", "wb") as file:
            file.write(metadata)


def upload(database, url):
    return [CONVERT, "upload", "--database", database, "--url", url, "--once", "--reports-per-min", "0"]


def timed(arguments):
    start = time.perf_counter()
    subprocess.run(arguments, check=True, **QUIET)
    return time.perf_counter() - start


def expect(count, before):
    if Collector.taken - before != count:
        sys.exit(f"{Collector.taken - before} of {count} reports arrived")


def speed(url):
    small, database, bodies = minidump("small", 1, 0), f"{WORK}/reports", f"{WORK}/bodies"
    os.makedirs(bodies)
    fill(database, small, 1)
    Collector.keep = bodies
    subprocess.run(upload(database, url), check=True, **QUIET)
    Collector.keep = None
    with open(f"{bodies}/0.type") as file:
        kind = file.read()
    loop = (f'for i in $(seq {REPORTS}); do curl -s -o /dev/null -H "Content-Type: {kind}" '
            f'-H "Content-Encoding: gzip" --data-binary @{bodies}/0 {url} || exit 1; done')
    times = {"upload": [], "curl": []}
    for turn in range(RUNS + 1):
        fill(database, small, REPORTS)
        before = Collector.taken
        uploaded = timed(upload(database, url))
        expect(REPORTS, before)
        curled = timed(["bash", "-c", loop])
        expect(2 * REPORTS, before)
        # The first round fills caches.
        if turn > 0:
            times["upload"].append(uploaded)
            times["curl"].append(curled)
    return {name: statistics.median(values) for name, values in times.items()}


def peak(arguments):
    """Peak resident memory in MB."""
    report = f"{WORK}/time"
    subprocess.run(["/usr/bin/time", "-f", "%M", "-o", report, *arguments], check=True, **QUIET)
    with open(report) as lines:
        return int(re.findall(r"\d+", lines.read())[-1]) / 1000


def memory(url):
    rows = []
    for name, threads, kibibytes in (("little", 10, 64), ("large", 1000, 590)):
        source = minidump(name, threads, kibibytes)
        fill(f"{WORK}/{name}-reports", source, 1)
        rows.append((os.path.getsize(source) / 1e6, peak(upload(f"{WORK}/{name}-reports", url))))
        for folder in (name, f"{name}-reports"):
            shutil.rmtree(f"{WORK}/{folder}")
    return rows


def main():
    url = serve()
    times = speed(url)
    print(f"| {REPORTS:,} small reports to a server on this machine | s | times `upload` |\n|---|---|---|")
    for name, label in (("upload", "`dump-convert upload`"), ("curl", "`curl` in a loop over the same bodies")):
        print(f"| {label} | {times[name]:.2f} | {times[name] / times['upload']:.2f} |")
    print("\n| size of the report, MB | peak memory of `upload`, MB |\n|---|---|")
    for size, megabytes in memory(url):
        print(f"| {size:.1f} | {megabytes:.1f} |")


if __name__ == "__main__":
    main()
