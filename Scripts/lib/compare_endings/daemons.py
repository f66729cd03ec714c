# SPDX-License-Identifier: Apache-2.0
"""Daemons from Debian, with Epitaph preloaded and without: their answers, wait statuses, files, crash logs and
core dumps are equal, and each crash has a report, unless the daemon's own handler replaced Epitaph's ("displaced").

Files are compared by name and by their text, from which numbers are taken out (times, process ids, addresses, ports) and
whose lines are sorted where processes write in any order; of redis' log the sections, of its database the version."""

import collections
import contextlib
import os
import pathlib
import pwd
import re
import signal
import subprocess
import time

from compare_endings import running, services, workers

SECONDS = 20
# How long a load tool has been at work when the end comes.
LOAD_S = 0.3
CORE_PATTERN = pathlib.Path("/proc/sys/kernel/core_pattern")
# Written by the lab, or compared by itself.
OURS = {"output", "errors", "conf", "conf.py", "conf.java", "server.py", "server.js"}
# Where the kernel writes one unless told otherwise, core(5).
CORE = re.compile(r"core(\.\d+)?$")
CRASHES = {"SIGSEGV": "SIGSEGV", "SIGABRT": "SIGABRT", "FAULT": "SIGSEGV", "DEBUG SEGFAULT": "SIGSEGV",
           "DEBUG PANIC": "SIGABRT"}
# Behind the name of an end that comes while a load tool is at work.
# Runs without Epitaph, at most, until one of them is like the run with it.
CONTROLS = 5
UNDER_LOAD = " under load"
SERVICES = [services.Dnsmasq, services.DaemonisedDnsmasq, services.Sshd, services.Redis, services.Chronyd,
            services.ForgivingChronyd, services.Python, workers.Nginx, workers.NginxWithItsOwn, workers.Memcached,
            workers.DaemonisedMemcached, workers.Haproxy, workers.DaemonisedHaproxy, workers.HaproxyWithMaster]

Result = collections.namedtuple("Result", "name end status reports cores mark problems")
Sight = collections.namedtuple("Sight", "ending answers files cores answer errors")


@contextlib.contextmanager
def core_files(directory, leaves_pattern):
    """Has the kernel write core files there, by program and signal; yields whether it does."""
    directory.mkdir()
    directory.chmod(0o777)
    if leaves_pattern:
        yield False
        return
    try:
        earlier = CORE_PATTERN.read_bytes()
        CORE_PATTERN.write_text(f"{directory}/core-%e-%s")
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        CORE_PATTERN.write_bytes(earlier)


def make_fault(pid):
    """Has a process jump to where nothing is mapped; by then the debugger is gone."""
    subprocess.run(["gdb", "-nx", "-batch", "-iex", "set auto-solib-add off", "-iex", "set debuginfod enabled off",
                    "-p", str(pid), "-ex", "set $pc=16", "-ex", "detach"],
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)


def make_database(directory, kind):
    """Beside a daemon's directory, of the user as whom it runs."""
    database = directory.with_name(directory.name + "-db")
    for path in (database, database / "pending-dumps"):
        path.mkdir(mode=0o700)
        if kind.owner:
            os.chown(path, pwd.getpwnam(kind.owner).pw_uid, -1)
    return database


class Daemons:
    # Those that install handlers of their own after the preload library has, and do not call the ones they find.
    displacing = {"redis"}
    # Filters that kill for every call with which a handler could send itself the signal again (gettid, tgkill, kill and
    # rt_tgsigqueueinfo; strace shows the first). A fault can be had without a call, SIGABRT cannot: SIGSYS is its end.
    deadly_filters = {("chronyd -F 1", "SIGABRT"): f"signal {signal.SIGSYS:d}",
                      ("chronyd -F -1", "SIGABRT"): f"signal {signal.SIGSYS:d}",
                      # The kernel sends it for a child of that moment, whose end a subreaper sees.
                      ("tor sandboxed", "SIGABRT"): f"signal {signal.SIGABRT:d}"}

    def __init__(self, runner, converter, preload, cores, shared):
        self.runner = runner
        self.converter = converter
        self.preload = preload
        self.cores = cores
        self.shared = shared

    def variables(self, kind, database):
        """What the environment of the program with Epitaph has besides."""
        del kind
        return [f"LD_PRELOAD={self.preload}", f"EPITAPH_LAB_DATABASE={database}"]

    def take_cores(self, program):
        """Names of the core files that this program left; others on the machine may crash as well."""
        name = pathlib.Path(program).name[:15]
        found = []
        for file in self.cores.glob("core-*"):
            if file.name.startswith(f"core-{name}"):
                found.append(file.name)
            file.unlink(missing_ok=True)
        return sorted(found)

    def run(self, kind, end, is_with):
        directory = self.runner.directory()
        database = make_database(directory, kind)
        service = kind(directory, self.shared)
        # Set for the daemon alone, not for the warden and the shell before it.
        variables = ["/usr/bin/env", *self.variables(kind, database)]
        self.take_cores(kind.program)
        began = time.monotonic()
        words = service.words()
        warden = self.runner.begin([*variables, *words] if is_with else words, directory, SECONDS)
        first = int(warden.stdout.readline().split()[1])
        answers = service.work()
        time.sleep(services.SETTLING_S)
        is_loaded = end.endswith(UNDER_LOAD)
        with self.load(service) if is_loaded else contextlib.nullcontext():
            self.bring_about(service, end.removesuffix(UNDER_LOAD), first)
        service.after(first, end)
        ending = self.runner.finish(warden, SECONDS, began)
        compared = service.text_under_load if is_loaded else service.text
        files = {services.PORT.sub(":#", name): compared(name, contents) for name, contents in running.read_tree(directory).items()
                 if name not in OURS and not name.endswith("pid") and not CORE.match(name)}
        errors = compared("errors", (directory / "errors").read_bytes())
        files["standard error"] = errors
        ending = ending._replace(all=service.endings(ending.all))
        sight = Sight(ending, answers, files, self.take_cores(kind.program),
                      self.converter.ask(database) if is_with else None, errors)
        self.runner.discard(directory)
        self.runner.discard(database)
        return sight

    @staticmethod
    @contextlib.contextmanager
    def load(service):
        """A load tool at work, until it notices that the daemon is gone."""
        with subprocess.Popen([str(word) for word in service.load()], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as tool:
            time.sleep(LOAD_S)
            if tool.poll() is not None:
                raise RuntimeError(f"{service.name}: the load tool ended with {tool.returncode} at once")
            try:
                yield
                time.sleep(services.SETTLING_S)
            finally:
                tool.terminate()

    @staticmethod
    def bring_about(service, end, first):
        if end.startswith("SIG"):
            with contextlib.suppress(ProcessLookupError, TypeError):
                os.kill(service.victim(first), signal.Signals[end])
        elif end == "FAULT":
            make_fault(service.victim(first))
        else:
            service.end(end)

    def judge(self, kind, end):
        """The run with Epitaph has to be like one of those without. A daemon's own crash log may go wrong at random
        (redis reads code beyond the end of a page, and dies of that), so one run without is not all that can be expected."""
        found, own, problems = None, None, []
        for _ in range(CONTROLS):
            own = self.run(kind, end, False)
            if own.ending.is_hung or "no answer" in own.answers:
                continue
            found = found or self.run(kind, end, True)
            limit = self.deadly_filters.get((kind.name, end))
            is_limit = limit is not None and found.ending.first.startswith(limit)
            problems = self.differences(own, found, is_limit)
            if not problems:
                break
        if not found:
            raise RuntimeError(f"{kind.name}, {end} without Epitaph: {own.ending.all} {own.answers} {own.errors[-500:]}")
        crash = CRASHES.get(end.removesuffix(UNDER_LOAD))
        mark = self.problems_of_reports(kind, crash, found.answer, problems)
        mark = "limit" if mark == "right" and is_limit else mark
        return Result(kind.name, end, found.ending.first, len(found.answer.signals), len(found.cores), mark, problems)

    @staticmethod
    def differences(own, found, is_limit):
        problems = []
        if found.answers != own.answers:
            problems.append(f"answered {found.answers!r}, without Epitaph {own.answers!r}")
        if found.ending.all != own.ending.all and not is_limit:
            problems.append(f"ended with {', '.join(found.ending.all)}; without Epitaph {', '.join(own.ending.all)}")
        if found.cores != own.cores and not is_limit:
            problems.append(f"core files {found.cores}, without Epitaph {own.cores}")
        for name in sorted({*own.files, *found.files}):
            if own.files.get(name) != found.files.get(name):
                problems.append(f"{name} is another: {difference(own.files.get(name), found.files.get(name))}")
        return problems

    def problems_of_reports(self, kind, crash, answer, problems):
        expected = [crash] if crash else []
        if kind.name in self.displacing and answer.signals == []:
            # Then at least the next launch learns that a process ended without a record.
            if crash and not answer.unwell:
                problems.append("its own handler displaced ours, and nothing is said of the crash")
            return "WRONG" if problems else "displaced" if crash else "right"
        if answer.signals != expected:
            problems.append(f"reports of {answer.signals}, not of {expected}: {answer.said[-300:]}")
        problems += [f"{file} waits for an owner that is gone" for file in answer.left]
        return "WRONG" if problems else "right"


def difference(own, found):
    if own is None or found is None:
        return "there only " + ("with" if own is None else "without") + " Epitaph"
    lines, others = collections.Counter(own.splitlines()), collections.Counter(found.splitlines())
    more, fewer = list((others - lines).elements()), list((lines - others).elements())
    sizes = f"{len(found)} characters instead of {len(own)}"
    return f"{sizes}, more {more[:3]}, fewer {fewer[:3]}" if more or fewer else "its lines are in another order"


def missing(kinds):
    return sorted({kind.package for kind in kinds if not os.access(kind.program, os.X_OK)})


def table(results, has_cores):
    lines = [f"{'daemon':17} {'end':18} {'status':18} {'reports':>7} {'core files':>10}"]
    for result in results:
        cores = result.cores if has_cores else "not checked"
        lines.append(f"{result.name:17} {result.end:18} {result.status:18} {result.reports:7} {cores:>10}  {result.mark}")
    return "\n".join(lines)
