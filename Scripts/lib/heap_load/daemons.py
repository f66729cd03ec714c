# SPDX-License-Identifier: Apache-2.0
"""What keeps each daemon busy: a burst of requests, every one of which has to be answered rightly."""

import os
import pathlib
import shutil
import socket
import subprocess

from compare_endings import runtimes, services, workers
from heap_load.tools import number, run

ANSWER_S = 30


class Redis(services.Redis):
    COMMANDS = "set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,zadd,zpopmin,lrange_100,mset"

    def burst(self):
        before = self.processed()
        # It ends at the first error that is answered.
        run(["redis-benchmark", "-q", "-c", "4", "-n", "2000", "-r", "500", "-d", "100", "-t", self.COMMANDS,
                    "-s", self.directory / "socket"])
        self.say("flushall")
        return self.processed() - before

    def processed(self):
        return number(r"total_commands_processed:(\d+)", self.say("info", "stats"))


def ab(port, count):
    said = run(["ab", "-q", "-n", str(count), "-c", "4", f"http://127.0.0.1:{port}/page.txt"])
    if number(r"Failed requests: +(\d+)", said) or "Non-2xx" in said:
        raise RuntimeError(said[-1000:])
    return number(r"Complete requests: +(\d+)", said)


class Nginx(workers.Nginx):
    def burst(self):
        return ab(self.port, 2000)


class Memcached(workers.Memcached):
    KEYS = 200
    # What it allocates anew each time.
    LISTS = (b"stats", b"stats slabs", b"stats items", b"stats settings", b"stats conns")

    def burst(self):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(ANSWER_S)
            connection.connect(str(self.directory / "socket"))
            answers = connection.makefile("rb")
            for key in range(self.KEYS):
                value = bytes([97 + key % 26]) * (1 + key * 37 % 3000)
                connection.sendall(b"set k%d 0 0 %d\r\n%b\r\nappend k%d 0 0 3\r\nend\r\nget k%d\r\ndelete k%d\r\nget k%d\r\n"
                                   % (key, len(value), value, key, key, key, key))
                expected = b"STORED\r\nSTORED\r\nVALUE k%d 0 %d\r\n%bend\r\nEND\r\nDELETED\r\nEND\r\n" % (
                    key, len(value) + 3, value)
                if answers.read(len(expected)) != expected:
                    raise RuntimeError(f"another answer for key {key}")
            for line in self.LISTS * 20:
                connection.sendall(line + b"\r\n")
                while (said := answers.readline()) != b"END\r\n":
                    if not said.startswith(b"STAT "):
                        raise RuntimeError(f"{line} was answered {said}")
        return 5 * self.KEYS + 20 * len(self.LISTS)


class Postgres(runtimes.Postgres):
    """With new connections, each of which is a fork, and with lasting ones."""

    is_filled = False

    def burst(self):
        if not self.is_filled:
            run([*self.client("pgbench")[:-1], "-i", "-q", "postgres"])
            self.is_filled = True
        return sum(self.transactions(*words) for words in ((), ("-S", "-C")))

    def transactions(self, *words):
        said = run([*self.client("pgbench")[:-1], "-n", "-c", "2", "-T", "2", *words, "postgres"], self.look)
        if number(r"failed transactions: (\d+)", said):
            raise RuntimeError(said[-500:])
        return number(r"transactions actually processed: (\d+)", said)


class Python(runtimes.PlainPython):
    """A server, and the interpreter's own tests; all memory comes from malloc(3)."""

    MODULES = ("test_json", "test_re", "test_dict", "test_list", "test_set", "test_struct", "test_array", "test_heapq",
               "test_bytes", "test_collections", "test_ordered_dict", "test_deque", "test_memoryview", "test_sort")
    program = next((path for path in [shutil.which("python3") or "", *map(str, sorted(
        pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3")))] if path and subprocess.run(
            [path, "-c", "import test.test_json"], capture_output=True).returncode == 0), "/usr/bin/python3")
    variables = {"PYTHONMALLOC": "malloc"}
    turn = 0

    def words(self):
        words = super().words()
        # The program and not a script that looks for it.
        self.interpreter = run([words[0], "-c", "import sys; print(sys.executable)"]).strip()
        return [self.interpreter, *words[1:]]

    def burst(self):
        answered = ab(self.port, 500)
        module = self.MODULES[self.turn % len(self.MODULES)]
        self.turn += 1
        said = run([self.interpreter, "-m", "test", "-v", module], env={**os.environ, **self.preloading},
                   cwd=self.directory)
        return answered + number(r"\nRan (\d+) test", said)


class ExampleDaemon(services.Service):
    name = "example-daemon"
    CLIENTS = 20

    def words(self):
        return [self.program, "0", self.directory / "own", "--leaves-sigterm"]

    def port(self):
        return number(r"listening on port (\d+)", (self.directory / "output").read_text())

    def work(self):
        return services.patiently(lambda: self.ask(["total"])[0])

    def ask(self, lines):
        try:
            port = self.port()
        except RuntimeError as error:
            raise ValueError("not yet") from error
        with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as connection:
            stream = connection.makefile("rw", newline="\n")
            answers = []
            for line in lines:
                stream.write(line + "\n")
                stream.flush()
                answers.append(stream.readline().strip())
        return answers

    def burst(self):
        before = int(self.ask(["total"])[0].split()[-1])
        for client in range(self.CLIENTS):
            answers = self.ask(["user u%d" % client, "note n v%d" % client, "add x 3", "take x 1", "status", "add y 2"])
            if len(answers) != 6 or not all(answers):
                raise RuntimeError(f"answered {answers}")
        total = int(self.ask(["total"])[0].split()[-1])
        if total != before + 4 * self.CLIENTS:
            raise RuntimeError(f"a total of {total} after one of {before}")
        return 6 * self.CLIENTS + 2


SERVICES = [Redis, Nginx, Postgres, Memcached, Python, ExampleDaemon]
