# SPDX-License-Identifier: Apache-2.0
"""Kills an operation at each of its system calls, or lets the call fail, under strace."""

import collections
import os
import pathlib
import re
import signal
import subprocess

DEADLINE_S = 30
MARK = "/epitaph-database-operation"
CALL = re.compile(r"^([a-z_0-9]+)\(")

# What the calls may answer: their pages in section 2, and what quotas and network file systems answer besides. EINTR
# only where the page has it.
ERRORS = {
    "mkdir": "ENOSPC EIO EACCES EROFS EDQUOT",
    "mkdirat": "ENOSPC EIO EACCES EROFS EDQUOT",
    "openat": "ENOSPC EIO EACCES EROFS EDQUOT EINTR EMFILE",
    "newfstatat": "EIO EACCES",
    "fstat": "EIO",
    "fsync": "ENOSPC EIO EROFS EDQUOT EINTR",
    "syncfs": "ENOSPC EIO EINTR",
    "fstatfs": "EIO EINTR",
    "linkat": "ENOSPC EIO EACCES EROFS EDQUOT EPERM EMLINK",
    "utimensat": "EIO EACCES EPERM EROFS",
    "renameat": "ENOSPC EIO EACCES EROFS EDQUOT",
    "unlinkat": "EIO EACCES EROFS",
    "flock": "EINTR ENOLCK EOPNOTSUPP ENOSYS",
    "pwrite64": "ENOSPC EIO EROFS EDQUOT EINTR",
    "write": "ENOSPC EIO EROFS EDQUOT EINTR",
    "pread64": "EIO EINTR",
    "read": "EIO EINTR",
    "ftruncate": "ENOSPC EIO EACCES EROFS EINTR",
    "getdents64": "EIO",
    "close": "EIO EINTR",
}
# Answered to one call, not for ever: the operation has to succeed all the same.
PASSING = {"EINTR"}
# From that call on, as a disk that stays full, breaks or is mounted for reading only.
LASTING = {"ENOSPC", "EIO", "EROFS", "EDQUOT", "EMFILE", "ENOLCK", "EOPNOTSUPP", "ENOSYS", "EPERM"}

Point = collections.namedtuple("Point", "call ordinal place")
Run = collections.namedtuple("Run", "point kind rule error")


def strace(victim, trace, database, words, rule=None, extra=()):
    inject = ["-e", f"inject={rule}"] if rule else []
    calls = ",".join(["access", *ERRORS])
    return ["strace", "-qq", "-o", str(trace), "-e", f"trace={calls}", *extra, *inject, *victim, str(database), *words]


def perform(command, environment=None):
    """Returns how the program ended and what it said on standard output and error."""
    variables = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})}
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=variables, start_new_session=True)
    try:
        output, errors = program.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        output, errors = program.communicate()
        return None, output, errors
    return program.returncode, output, errors


def points(trace):
    """The calls of the operation: those behind the mark."""
    seen, found, began = collections.Counter(), [], False
    for line in pathlib.Path(trace).read_text().splitlines():
        match = CALL.match(line)
        if not match:
            continue
        seen[match[1]] += 1
        if match[1] == "access":
            began = began or MARK in line
        elif began:
            found.append(Point(match[1], seen[match[1]], len(found) + 1))
    return found


def runs(point):
    yield Run(point, "kill", f"{point.call}:signal=SIGKILL:when={point.ordinal}", None)
    for error in ERRORS[point.call].split():
        for again in ("", "+") if error in LASTING else ("",):
            yield Run(point, "fail", f"{point.call}:error={error}:when={point.ordinal}{again}", error)
