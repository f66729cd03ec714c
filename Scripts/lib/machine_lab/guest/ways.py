# SPDX-License-Identifier: Apache-2.0
"""The tests' C program dies in each of its ways, which is tried here and, on another machine, by who judges.

    ways.py VICTIM OUT

For each way OUT/WAY has `ending`, a word, and what became of the database.
"""

import concurrent.futures
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

# Some wait for somebody.
PATIENCE_S = 100
THREADS = "3"


def names(victim):
    """From its usage."""
    usage = subprocess.run([victim], capture_output=True, text=True).stderr
    return usage.split("ways:", 1)[1].split()


def die(victim, out, way):
    place = out / way
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    # Some remove or replace their program. Copied here, it would be open in processes that begin meanwhile: ETXTBSY.
    program = place / "victim"
    subprocess.run(["cp", victim, program], check=True)
    with subprocess.Popen([program, place / "database", way, THREADS], cwd=place, start_new_session=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            ending = str(process.wait(PATIENCE_S))
        except subprocess.TimeoutExpired:
            ending = "waits"
        # What it left behind, and itself.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    (place / "ending").write_text(ending)
    for path in place.glob("victim*"):
        path.unlink()


def main():
    victim, out = sys.argv[1], pathlib.Path(sys.argv[2])
    # For those who die. What nohup or a shell's `&` made ignored would stay so.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda way: die(victim, out, way), names(victim)))


main()
