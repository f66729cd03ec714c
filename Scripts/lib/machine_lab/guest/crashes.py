# SPDX-License-Identifier: Apache-2.0
"""Each program of /lab/plan.json dies in each of its ways. Its dump goes to /lab/out/PROGRAM/WAY/dump, and what gdb says
of its core to gdb.txt."""

import concurrent.futures
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys

PLAN = json.loads(pathlib.Path("/lab/plan.json").read_text())


def say(line):
    os.write(3, f"{line}\n".encode())


def executable_ranges(core):
    """The segments of a core file with code, elf(5)."""
    with open(core, "rb") as file:
        header = file.read(64)
        offset, size, count = struct.unpack_from("<Q", header, 32)[0], *struct.unpack_from("<HH", header, 54)
        for index in range(count):
            file.seek(offset + index * size)
            kind, flags, _, address, _, _, length = struct.unpack_from("<IIQQQQQ", file.read(size))
            if kind == 1 and flags & 1:
                yield f"CODE\t{address:x}\t{address + length:x}\n"


def limited(plan):
    """A child of threads may run no Python before it executes its program, says subprocess: prlimit(1) does it there."""
    return ["prlimit", f"--stack={plan['stack_kb'] << 10}:unlimited"] if plan.get("stack_kb") else []


def crash(plan):
    work = pathlib.Path("/lab/work", plan["program"], plan["way"])
    out = pathlib.Path("/lab/out", plan["program"], plan["way"])
    for directory in (work / "database", out):
        directory.mkdir(parents=True)
    program = f"/lab/{plan['program']}"
    ending = subprocess.run([*limited(plan), program, plan["way"]], cwd=work, capture_output=True, timeout=120,
                            env={"EPITAPH_DATABASE": str(work / "database"), **plan.get("environment", {})})
    dumps = [path for path in (work / "database").glob("pending-dumps/*@*") if path.suffix != ".locked"]
    cores = list(work.glob("core.*"))
    if ending.returncode >= 0 or len(dumps) != 1 or len(cores) != 1:
        return (f"{plan['program']} {plan['way']} ended with {ending.returncode}, {len(dumps)} dumps, {len(cores)} cores: "
                f"{ending.stderr[-200:]}")
    shutil.copy(dumps[0], out / "dump")
    words = ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "set backtrace past-main on", "-ex",
             "set print demangle on", "-ex", "source /lab/frames.py", program, str(cores[0])]
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=500,
                              env={**os.environ, "FRAMES": str(plan["frames"])}).stdout
    except subprocess.TimeoutExpired:
        return f"{plan['program']} {plan['way']}: gdb is not ready after 500 seconds"
    (out / "gdb.txt").write_text("".join(executable_ranges(cores[0])) + said)
    shutil.rmtree(work)
    return None


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [problem for problem in pool.map(crash, PLAN) if problem]
    for problem in wrong:
        say(f"FAILED: {problem}")
    say(f"figure: {len(PLAN)} crashes")
    sys.exit(min(len(wrong), 100))


main()
