# SPDX-License-Identifier: Apache-2.0
"""What libepitaph-preload.so costs a program: its start, its forks, its memory, and how much redis and PostgreSQL get done.
With `heap`, what sampled allocations cost such a program, one in 5,000, beside the library alone. Each figure is the median of
runs with and without it, one after the other in turns.

    preload.py RUNS WORK [heap]
"""

import os
import pathlib
import pwd
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SERVER_RUNS = 5
RATE = "1/5000"


def run(words, **options):
    return subprocess.run([str(word) for word in words], text=True, capture_output=True, check=True, timeout=600, **options)


def in_turns(count, measure):
    """`measure` is told whether to load the library; the medians without it and with it."""
    without, with_it = [], []
    for _ in range(count):
        without.append(measure(False))
        with_it.append(measure(True))
    return statistics.median(without), statistics.median(with_it)


def variables(is_with, program, user="0"):
    """The library, in a database of that user's."""
    if not is_with and not is_of_heap:
        return os.environ
    database = work / f"db-{user}"
    if not database.exists():
        database.mkdir(mode=0o700)
        os.chown(database, int(user), -1)
    libraries = [prefix / "lib/epitaph/libepitaph-preload.so"]
    if is_of_heap and is_with:
        libraries.append(prefix / "lib/epitaph/libepitaph-heap.so")
    return {**os.environ, "LD_PRELOAD": ":".join(map(str, libraries)), "EPITAPH_DATABASE": str(database),
            "EPITAPH_EXECUTABLE": str(program), "EPITAPH_HEAP_SAMPLING": RATE if len(libraries) > 1 else "no"}


def numbers(words, key, without=(), program=None):
    """Of a guest program that prints `key number`; `without` are the variables of the runs without the library."""
    def measure(is_with):
        user = words[1] if len(words) > 1 else "0"
        environment = variables(is_with, program or guest, user)
        if not is_with:
            environment = {**environment, **dict(without)}
        text = run(["setpriv", f"--reuid={user}", "--clear-groups", program or guest, *words], env=environment).stdout
        return float(re.search(rf"^{key} ([\d.]+)", text, re.MULTILINE)[1])
    return measure


def compile_guest(program, *flags):
    run(["cc", "-O2", "-D_GNU_SOURCE", ROOT / "Tests/Benchmarks/preloaded.c", *flags, "-o", program, "-lpthread"])


def forks():
    """Any library that is loaded costs each fork its mappings, so these compare with an empty one. A child that binds a
    function has page faults of its own, fewer with a library that has the function: programs that bind at load do not."""
    run(["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", work / "empty.so"])
    empty = {"LD_PRELOAD": str(work / "empty.so")}
    bound = work / "bound-guest"
    compile_guest(bound, "-Wl,-z,now")
    for how, program in (("lazily", guest), ("at load", bound)):
        for whose, user in (("a user", "65534"), ("root", "0")):
            row(f"fork, exit and wait, as {whose}; bound {how}",
                in_turns(runs, numbers(["forks", user], "fork", empty, program)), "µs")
    for name, flags in (("libepitaph.so", ["-L", prefix / "lib", "-lepitaph", f"-Wl,-rpath,{prefix}/lib"]),
                        ("libepitaph.a", [prefix / "lib/libepitaph.a"])):
        linked = work / f"linked-{name}"
        compile_guest(linked, "-Wl,-z,now", "-I", prefix / "include", ROOT / "Tests/LinkedPrograms/early_start.c", *flags)
        row(f"fork, exit and wait, as root, linked with {name}", in_turns(runs, forks_of(linked, bound, empty)), "µs")


def forks_of(linked, bound, empty):
    def measure(is_with):
        changes = {"DATABASE": str(work / f"db-{linked.name}")} if is_with else empty
        text = run([linked if is_with else bound, "forks", "0"], env={**os.environ, **changes}).stdout
        return float(re.search(r"^fork ([\d.]+)", text, re.MULTILINE)[1])
    return measure


def elapsed(is_with):
    began = time.perf_counter()
    run([guest, "exit"], env=variables(is_with, guest))
    return (time.perf_counter() - began) * 1000


def death(way):
    """From the crash until the process is gone."""
    def measure(is_with):
        # No run meets the dumps of others, of which there is a maximum.
        shutil.rmtree(work / "db-0", ignore_errors=True)
        with subprocess.Popen([guest, way], env=variables(is_with, guest), stdout=subprocess.PIPE,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as process:
            process.stdout.readline()
            began = time.perf_counter()
            if process.wait(20) != -signal.SIGSEGV:
                sys.exit(f"preload.py: {way} ended with {process.returncode}")
            return (time.perf_counter() - began) * 1000
    return measure


def wait_for(words):
    for _ in range(500):
        if subprocess.run([str(word) for word in words], capture_output=True, check=False, cwd="/").returncode == 0:
            return
        time.sleep(0.02)
    sys.exit(f"preload.py: {words[0]} did not succeed")


def redis(is_with):
    return redis_run(is_with)[0]


def redis_processor(is_with):
    """Microseconds of the server's processor time for a request."""
    return redis_run(is_with)[1]


def redis_run(is_with):
    requests = 200000
    socket = work / "redis.sock"
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(work)],
                              env=variables(is_with, "redis-server"), stdout=subprocess.DEVNULL)
    try:
        wait_for(["redis-cli", "-s", socket, "ping"])
        answer = run(["redis-benchmark", "-s", socket, "-t", "get", "-n", str(requests), "-c", "20", "--csv"]).stdout
        # utime and stime, proc_pid_stat(5).
        fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return float(answer.splitlines()[-1].split(",")[1].strip('"')), seconds / requests * 1e6
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)


def as_postgres(*words):
    group = pwd.getpwnam("postgres").pw_gid
    return ["setpriv", "--reuid=postgres", f"--regid={group}", "--init-groups", *words]


def postgres(mode):
    """New connections, each of which is a fork, or one connection's transactions."""
    def measure(is_with):
        server = subprocess.Popen(
            [str(word) for word in as_postgres(tools / "postgres", "-D", cluster, "-k", cluster, "-c", "listen_addresses=")],
            env=variables(is_with, tools / "postgres", str(pwd.getpwnam("postgres").pw_uid)), stderr=subprocess.DEVNULL, cwd="/")
        client = ["-h", cluster, "-U", "postgres"]
        try:
            wait_for([tools / "psql", *client, "-c", "select 1", "postgres"])
            answer = run([tools / "pgbench", *client, "-n", "-S", "-T", "3", *mode, "postgres"], cwd="/").stdout
            return float(re.search(r"^tps = ([\d.]+)", answer, re.MULTILINE)[1])
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
    return measure


def make_cluster():
    cluster.mkdir()
    os.chown(cluster, pwd.getpwnam("postgres").pw_uid, -1)
    run(as_postgres(tools / "initdb", "-D", cluster, "-A", "trust", "--no-sync", "--no-locale"), cwd="/")
    server = subprocess.Popen([str(word) for word in as_postgres(tools / "postgres", "-D", cluster, "-k", cluster,
                                                                 "-c", "listen_addresses=")],
                              stderr=subprocess.DEVNULL, cwd="/")
    wait_for([tools / "psql", "-h", cluster, "-U", "postgres", "-c", "select 1", "postgres"])
    run([tools / "pgbench", "-i", "-q", "-h", cluster, "-U", "postgres", "postgres"], cwd="/")
    server.send_signal(signal.SIGINT)
    server.wait(20)


def row(name, pair, unit):
    without, with_it = pair
    change = f"{with_it - without:+.1f}" if unit in ("ms", "µs", "ns", "kB") else f"{(with_it / without - 1) * 100:+.1f} %"
    if name.startswith("fork"):
        change += f", {with_it / without:.2f} times"
    print(f"| {name} | {without:,.1f} {unit} | {with_it:,.1f} {unit} | {change} |", flush=True)


def servers():
    row("redis-benchmark, GET", in_turns(SERVER_RUNS, redis), "a second")
    if tools:
        make_cluster()
        row("pgbench, one query a transaction", in_turns(SERVER_RUNS, postgres(["-c", "2"])), "a second")
        row("pgbench, one connection a transaction", in_turns(SERVER_RUNS, postgres(["-c", "2", "-C"])), "a second")


def heap():
    for threads in ("1", "8"):
        of_threads = f"{threads} thread" + "s" * (threads != "1")
        row(f"malloc and free, {of_threads}", in_turns(runs, numbers(["allocations", "0", threads], "allocation")), "ns")
        row(f"private memory after 100,000,000 of them, {of_threads}",
            in_turns(2, numbers(["allocations", "0", threads], "rest")), "kB")
    row("start and exit of a C program", in_turns(runs * 4, elapsed), "ms")
    row("fork, exit and wait, as a user", in_turns(runs, numbers(["forks", "65534"], "fork")), "µs")
    row("fork, exit and wait, as a user, after 100,000,000 allocations",
        in_turns(runs, numbers(["forks", "65534", "100000000"], "fork")), "µs")
    row("redis, processor time of a GET", in_turns(SERVER_RUNS, redis_processor), "µs")
    servers()


def library():
    row("start and exit of a C program", in_turns(runs * 4, elapsed), "ms")
    forks()
    row("a fault that a jump repairs", in_turns(runs, numbers(["faults"], "fault")), "µs")
    row("pthread_create and join", in_turns(runs, numbers(["threads"], "create")), "µs")
    row("death beside 50 threads", in_turns(runs, death("dies")), "ms")
    row("death beside 50 threads that block every signal", in_turns(runs, death("dies-deaf")), "ms")
    row("private memory at rest", in_turns(runs, numbers(["threads"], "rest")), "kB")
    row("private memory for each of 200 threads", in_turns(runs, numbers(["threads"], "thread")), "kB")
    row("private memory of a forked child of a user", in_turns(runs, numbers(["forks", "65534"], "child")), "kB")
    row("private memory of a forked child of root", in_turns(runs, numbers(["forks", "0"], "child")), "kB")
    servers()


runs, work = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
is_of_heap = sys.argv[3:] == ["heap"]
work.chmod(0o755)
prefix, guest, cluster = work / "epitaph", work / "guest", work / "cluster"
found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
tools = found[-1].parent if found else None
run([ROOT / "Scripts/install", "--prefix", prefix, "--sysconfdir", prefix / "etc"])
compile_guest(guest)
print("| | without | with | difference |\n|---|---|---|---|")
heap() if is_of_heap else library()
