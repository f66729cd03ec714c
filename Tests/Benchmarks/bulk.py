# SPDX-License-Identifier: Apache-2.0
"""Measures `dump-convert explain` over many reports and prints the tables of docs/performance.md: reports a second and memory by
jobs, and others that read minidumps, in the same run. The bar: 1,000 reports with symbols, 20 a second on two cores.

usage: bulk.py RUNS PRODUCTS WORK

The reports are of a Swift daemon: one with 8 threads, one with 100, and one that died in a recursion; each of them is there
many times under an id of its own. RUNS counts for nothing here: each table is of one run over a thousand reports.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import threading
import time
import uuid

PRODUCTS, WORK = sys.argv[2], sys.argv[3]
CONVERT = f"{PRODUCTS}/dump-convert"
HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parent.parent / ".build/python/bin/python"
REPORTS = int(os.environ.get("EPITAPH_BENCH_REPORTS", 1000))
PEER_REPORTS = 60
BAR = 20
PAGE = os.sysconf("SC_PAGESIZE")
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
VICTIMS = {
    "8 threads": ("threads", 8, 0),
    "100 threads": ("threads", 100, 0),
    "a recursion of 1,000": ("recursion", 1000),
}


def minidump(name, arguments):
    """The minidump of a daemon that crashed, as it is filed: with the stacks that were found when it was."""
    database = f"{WORK}/{name.replace(' ', '-')}"
    subprocess.run([f"{PRODUCTS}/EpitaphBench", "busy", database, *map(str, arguments)], **QUIET)
    subprocess.run([CONVERT, "process", "--database", database], check=True, **QUIET)
    (report,) = [entry.path for entry in os.scandir(f"{database}/pending") if entry.name.endswith(".dmp")]
    return report


def copies(source, folder, count):
    """Reports that differ in their ids alone."""
    contents = pathlib.Path(source).read_bytes()
    known = uuid.UUID(pathlib.Path(source).stem)
    if contents.count(known.bytes_le) != 1:
        sys.exit("the id of the report is not where it was expected")
    os.makedirs(folder)
    paths = []
    for _ in range(count):
        made = uuid.uuid4()
        paths.append(f"{folder}/{made}.dmp")
        pathlib.Path(paths[-1]).write_bytes(contents.replace(known.bytes_le, made.bytes_le))
    return paths


def private_bytes(process):
    try:
        with open(f"/proc/{process}/statm") as statm:
            _, resident, shared = map(int, statm.read().split()[:3])
        return (resident - shared) * PAGE
    except OSError:
        return 0


class Memory(threading.Thread):
    """The most memory that a run and its workers took, by what is their own and no file's."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.run_bytes, self.worker_bytes, self.all_bytes = process, 0, 0, 0

    def run(self):
        while self.process.poll() is None:
            try:
                with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
                    children = file.read().split()
            except OSError:
                children = []
            own, workers = private_bytes(self.process.pid), [private_bytes(child) for child in children]
            self.run_bytes = max(self.run_bytes, own)
            self.worker_bytes = max([self.worker_bytes, *workers])
            self.all_bytes = max(self.all_bytes, own + sum(workers))
            time.sleep(0.05)


def explained(paths, *options):
    """Seconds, processor seconds of all its processes, and memory of one run."""
    names, lines = f"{WORK}/list", f"{WORK}/lines"
    with open(names, "w") as file:
        file.write("".join(f"{path}\n" for path in paths))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(names) as list_, open(lines, "w") as output:
        start = time.perf_counter()
        process = subprocess.Popen([CONVERT, "explain", *options], stdin=list_, stdout=output, stderr=subprocess.PIPE)
        memory = Memory(process)
        memory.start()
        complaints = process.stderr.read().decode()
        status = process.wait()
        seconds = time.perf_counter() - start
        memory.join()
    if status:
        sys.exit(f"explain ended with {status}: {complaints}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, memory


def check(paths):
    """Each report has its line, and the crashing thread its names."""
    with open(f"{WORK}/lines") as file:
        count = 0
        for line in file:
            count += 1
            if count > 3:
                continue
            report = json.loads(line)
            frames = report["threads"][0]["stack"]["frames"]
            if not any(frame.get("source") for frame in frames):
                sys.exit(f"no lines of source in {report['input']}")
    if count != len(paths):
        sys.exit(f"{count} lines for {len(paths)} reports")


def jobs_table(paths):
    print(f"| {len(paths):,} reports with symbols, `--jobs` | s | reports a second | processor time of one, ms | memory of a worker, MB "
          "| of the run itself | of all |")
    print("|---|---|---|---|---|---|---|")
    best = 0
    for jobs in (1, 2, 4):
        seconds, used, memory = explained(paths, "--jobs", str(jobs))
        check(paths)
        rate = len(paths) / seconds
        best = max(best, rate)
        print(f"| {jobs} | {seconds:.1f} | {rate:.0f} | {used * 1000 / len(paths):.1f} | {memory.worker_bytes / 1e6:.0f} | {memory.run_bytes / 1e6:.0f} "
              f"| {memory.all_bytes / 1e6:.0f} |", flush=True)
    print(f"\nThe bar is {BAR} a second.\n" if best >= BAR else f"\nBELOW THE BAR of {BAR} a second.\n")
    return best


def kinds_table(paths):
    print("| processor time of a report, ms | | with `--rows --crashing-thread` | with `--no-symbols` |\n|---|---|---|---|")
    for name, some in paths.items():
        times = [explained(some, "--jobs", "2", *options)[1] * 1000 / len(some)
                 for options in ((), ("--rows", "--crashing-thread"), ("--no-symbols",))]
        print(f"| {name} | " + " | ".join(f"{time_:.1f}" for time_ in times) + " |", flush=True)
    print()


def peers_table(paths):
    """One process each, since the peers have no more; the time of the first report, when files are read, is left out."""
    print("| one process, reports of 8 threads | processor time of one, ms | times `explain` | what it does |\n|---|---|---|---|")
    some = paths[:PEER_REPORTS]
    one = explained(some[:1], "--jobs", "1")[1]
    ours = (explained(some, "--jobs", "1")[1] - one) / (len(some) - 1)
    rows = [("`dump-convert explain --jobs 1`", ours, "stacks, names, lines, inlined calls, diagnosis, JSON")]
    if subprocess.run([PYTHON, "-c", "import symbolic.minidump"], **QUIET).returncode == 0:
        said = subprocess.run([PYTHON, HERE / "bulk_breakpad.py", *some], check=True, capture_output=True, text=True)
        seconds, frames, names = said.stdout.split()
        rows.append(("Breakpad's processor, `symbolic` 8.7.2", float(seconds) / (len(some) - 1),
                     f"stacks, names and lines: {frames} frames, {names} with a name"))
    code = ("import sys, time\nfrom minidump.minidumpfile import MinidumpFile\nstart = time.process_time()\n"
            "for path in sys.argv[1:]: MinidumpFile.parse(path)\nprint(time.process_time() - start)")
    if subprocess.run([PYTHON, "-c", "import minidump"], **QUIET).returncode == 0:
        said = subprocess.run([PYTHON, "-c", code, *some], capture_output=True, text=True)
        if said.returncode == 0:
            rows.append(("PyPI's `minidump` 0.0.24", float(said.stdout) / len(some), "reads the streams, no stacks"))
    for name, seconds, what in rows:
        print(f"| {name} | {seconds * 1000:.1f} | {seconds / ours:.2f} | {what} |")


paths = {name: copies(minidump(name, arguments), f"{WORK}/{index}", REPORTS // len(VICTIMS))
         for index, (name, arguments) in enumerate(VICTIMS.items())}
everything = [path for group in zip(*paths.values()) for path in group]
rate = jobs_table(everything)
kinds_table({name: some[:REPORTS // 10] for name, some in paths.items()})
peers_table(paths["8 threads"])
sys.exit(0 if rate >= BAR else 1)
