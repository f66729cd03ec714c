# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the warden, which reports how each of its processes ended and leaves none behind."""

import collections
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

# How the processes ended, sorted; seconds; whether all ended by themselves.
Ending = collections.namedtuple("Ending", "first all seconds is_hung")


def environment():
    return {**os.environ, "SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C"}


class Runner:
    def __init__(self, warden, work):
        self.warden = warden
        self.work = work

    def directory(self):
        """A directory for one run, which others than root can look into."""
        path = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        path.chmod(0o755)
        return path

    @staticmethod
    def discard(directory):
        shutil.rmtree(directory, ignore_errors=True)

    def begin(self, words, directory, seconds, mode="plain"):
        """Standard output and error of the program are the files "output" and "errors" of the directory."""
        # The warden's own output is a pipe; its program gets files by way of a shell that is replaced.
        shell = ["/bin/sh", "-c", 'exec "$@" >output 2>errors', "sh"]
        if mode == "closed":
            shell = []
        return subprocess.Popen(
            [str(word) for word in [self.warden, seconds, mode, *shell, *words]], cwd=directory, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(), start_new_session=True)

    @staticmethod
    def finish(warden, seconds, began):
        try:
            told, errors = warden.communicate(timeout=seconds + 20)
        except BaseException:
            os.killpg(warden.pid, signal.SIGTERM)
            warden.communicate(timeout=20)
            raise
        if warden.returncode != 0:
            raise RuntimeError(f"the warden ended with {warden.returncode}: {errors}")
        lines = [line for line in told.splitlines() if not line.startswith("began ")]
        first = next((line.partition(" ")[2] for line in lines if line.startswith("first ")), "hung")
        return Ending(first, sorted(lines), time.monotonic() - began, "hung" in lines)

    def run(self, words, directory, seconds=10, mode="plain"):
        began = time.monotonic()
        return self.finish(self.begin(words, directory, seconds, mode), seconds, began)


def read_tree(directory):
    return {str(file.relative_to(directory)): file.read_bytes()
            for file in sorted(pathlib.Path(directory).rglob("*")) if file.is_file()}
