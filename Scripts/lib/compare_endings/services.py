# SPDX-License-Identifier: Apache-2.0
"""Daemons of Debian: how each is started in a directory, what work it is given, and what its files are compared by."""

import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time
import urllib.request

READY_S = 5
# For what a daemon does behind its answer: writing a log, forgetting a connection.
SETTLING_S = 0.1
# postfix has a file for each that it listens at.
PORT = re.compile(r":\d+$")
NUMBER = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|\d+(?:\.\d+)*(?:[KMGB]\b)?")


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def patiently(function, *arguments):
    """What the function answers once the daemon is ready."""
    end = time.monotonic() + READY_S
    while True:
        try:
            return function(*arguments)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            if time.monotonic() > end:
                return f"no answer: {error}"
            time.sleep(0.02)


def talk(address, *messages):
    """Each message and what came back at once, as text."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as connection:
        connection.settimeout(2)
        connection.connect(address)
        answers = []
        for message in messages:
            connection.sendall(message)
            answers.append(connection.recv(4096).decode(errors="replace"))
        return "|".join(answers)


def tool(*words):
    return subprocess.run([str(word) for word in words], text=True, capture_output=True, timeout=5, check=True).stdout


def fetch(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/page.txt", timeout=2) as answer:
        return answer.read().decode()


def http_load(port):
    return ["ab", "-q", "-r", "-t", "60", "-c", "4", f"http://127.0.0.1:{port}/page.txt"]


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Service:
    """One start of a daemon. `program`, `victim` and the ends it may be given are what subclasses change."""

    program = ""
    package = ""
    name = ""
    # How it is ended: a signal for the victim, or another word for `end`.
    ends = ("SIGTERM", "SIGSEGV", "SIGABRT")
    # The owner of the database; None for root, who normally starts the daemon.
    owner = None

    def __init__(self, directory, shared):
        self.directory = pathlib.Path(directory)
        self.shared = pathlib.Path(shared)

    def words(self):
        raise NotImplementedError

    def work(self):
        return ""

    def victim(self, first):
        """The process that is sent the signal."""
        return first

    def after(self, first, end):
        """What has to be done for the rest of the daemon to end."""

    def endings(self, endings):
        """What is compared of how its processes ended."""
        return endings

    def text(self, name, contents):
        """What is compared of a file: its text without numbers, its lines sorted, for processes write in any order."""
        return "\n".join(sorted(self.plain(contents).splitlines()))

    @classmethod
    def has_load(cls):
        return cls.load is not Service.load

    def load(self):
        """The command line of a tool that keeps it busy."""
        raise NotImplementedError

    def text_under_load(self, name, contents):
        """The same after an end under load: how much was done, and logged, is chance."""
        del name, contents
        return ""

    def plain(self, contents):
        return NUMBER.sub("#", contents.decode(errors="replace").replace(str(self.directory), "DIRECTORY"))

    def write(self, name, text):
        (self.directory / name).write_text(text)


class Dnsmasq(Service):
    name, program, package = "dnsmasq", "/usr/sbin/dnsmasq", "dnsmasq-base"
    foreground = ["--keep-in-foreground"]

    def words(self):
        self.port, self.dhcp, self.client = (free_port(socket.SOCK_DGRAM) for _ in range(3))
        self.write("leases", "4102444800 02:00:00:00:00:07 127.0.0.57 known *\n")
        (self.directory / "leases").chmod(0o666)
        self.directory.chmod(0o777)
        return [self.program, *self.foreground, "--conf-file=/dev/null", "--user=dnsmasq", "--no-resolv", "--no-hosts",
                "--no-ping", f"--port={self.port}", "--listen-address=127.0.0.1", "--bind-interfaces",
                "--address=/host.test/10.1.2.3", f"--pid-file={self.directory}/pid",
                f"--dhcp-leasefile={self.directory}/leases",
                "--dhcp-range=127.0.0.50,127.0.0.100,255.0.0.0,1h", "--dhcp-authoritative",
                f"--dhcp-alternate-port={self.dhcp},{self.client}", f"--log-facility={self.directory}/log"]

    def ask_name(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(0.2)
            question = struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + b"\4host\4test\0" + struct.pack(">2H", 1, 1)
            client.sendto(question, ("127.0.0.1", self.port))
            return client.recv(512)[-4:].hex()

    def ask_lease(self):
        """A relayed DHCPREQUEST; the answer is the new line in the file of leases."""
        relay = socket.inet_aton("127.0.0.1")
        request = struct.pack(">4BI2H", 1, 1, 6, 0, 0x1234, 0, 0) + bytes(12) + relay + bytes.fromhex("020000000001")
        options = b"\x63\x82\x53\x63\x35\1\3\x32\4" + socket.inet_aton("127.0.0.60") + b"\x0c\5guest\xff"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.bind(("127.0.0.1", self.client))
            client.sendto(request + bytes(202) + options, ("127.0.0.1", self.dhcp))
            time.sleep(0.1)
        if "127.0.0.60" not in (self.directory / "leases").read_text(errors="replace"):
            raise ValueError("no lease")
        return "lease"

    def work(self):
        return f"{patiently(self.ask_name)} {patiently(self.ask_lease)}"


class DaemonisedDnsmasq(Dnsmasq):
    """As packaged: it forks, closes all descriptors, and its parent is gone."""

    name = "dnsmasq (forked)"
    foreground = []

    def victim(self, first):
        return patiently(lambda: int((self.directory / "pid").read_text()))


class Sshd(Service):
    name, program, package = "sshd", "/usr/sbin/sshd", "openssh-server"

    def words(self):
        self.port = free_port()
        for key in ("host", "user"):
            if not (self.shared / key).exists():
                tool("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.shared / key)
        self.write("conf", f"ListenAddress 127.0.0.1:{self.port}\nHostKey {self.shared}/host\nUsePAM no\nStrictModes no\n"
                   f"AuthorizedKeysFile {self.shared}/user.pub\nPermitRootLogin yes\nPidFile {self.directory}/pid\n")
        return [self.program, "-D", "-f", self.directory / "conf", "-E", self.directory / "log"]

    def work(self):
        banner = patiently(lambda: talk(("127.0.0.1", self.port), b"SSH-2.0-lab\r\n").splitlines()[0])
        said = patiently(lambda: tool(
            "ssh", "-F", "/dev/null", "-i", self.shared / "user", "-p", self.port, "-o", "BatchMode=yes", "-o",
            "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={self.directory}/known", "root@127.0.0.1",
            "echo inside"))
        return f"{banner} {said}"

    def victim(self, first):
        # The processes of the connections end by themselves, a little later.
        def alone():
            if children(first):
                raise ValueError("connections are open")
            return first
        return patiently(alone)


class Redis(Service):
    name, program, package = "redis", "/usr/bin/redis-server", "redis-server"
    ends = ("SIGTERM", "SIGSEGV", "SIGABRT", "DEBUG SEGFAULT", "DEBUG PANIC")

    def words(self):
        self.write("conf", f"port 0\nunixsocket {self.directory}/socket\ndir {self.directory}\nlogfile {self.directory}/log\n"
                   "daemonize no\ncrash-log-enabled yes\nenable-debug-command yes\nsave \"\"\n")
        return [self.program, self.directory / "conf"]

    def say(self, *words):
        return tool("redis-cli", "-s", self.directory / "socket", *words)

    def work(self):
        return "".join(patiently(self.say, *words) for words in (["SET", "a", "b"], ["GET", "a"], ["SAVE"]))

    def load(self):
        return ["redis-benchmark", "-q", "-l", "-c", "4", "-n", "1000000", "-s", self.directory / "socket", "-t", "set,get"]

    def text_under_load(self, name, contents):
        # It may have saved, or not; the crash log is the same.
        return self.text(name, contents) if name == "log" else ""

    def end(self, how):
        subprocess.run(["redis-cli", "-s", str(self.directory / "socket"), *how.split()], capture_output=True, timeout=20)

    def text(self, name, contents):
        if name.endswith(".rdb"):
            return contents[:9].decode(errors="replace")
        # The crash log has a section for each kind of fact, and in them addresses, registers, and the machine's memory.
        lines = [line for line in contents.decode(errors="replace").splitlines()
                 if line.startswith("------ ") or "crashed by signal" in line or "bye bye" in line or "=== REDIS" in line]
        return "\n".join(NUMBER.sub("#", line) for line in lines)


class Chronyd(Service):
    name, program, package = "chronyd -F 1", "/usr/sbin/chronyd", "chrony"
    level = "1"

    def words(self):
        sockets = self.directory / "sockets"
        sockets.mkdir(mode=0o700)
        self.write("conf", f"local stratum 10\nport 0\ncmdport 0\nbindcmdaddress {sockets}/socket\n"
                   f"pidfile {self.directory}/pid\ndriftfile {self.directory}/drift\nuser root\n")
        return [self.program, "-d", "-x", "-F", self.level, "-f", self.directory / "conf"]

    def work(self):
        answer = patiently(lambda: tool("chronyc", "-h", self.directory / "sockets/socket", "tracking"))
        return answer.splitlines()[1] if "\n" in answer else answer


class ForgivingChronyd(Chronyd):
    name, level = "chronyd -F -1", "-1"


class Web(Service):
    """One that has pages."""

    def work(self):
        return patiently(fetch, self.port)


class Python(Web):
    name, program, package = "faulthandler", "/usr/bin/python3", "python3"

    def words(self):
        self.port = free_port()
        self.write("page.txt", "a page\n")
        # One thread: others would be in some tracebacks and not in others.
        self.write("server.py", "import http.server\n"
                   f"server = http.server.HTTPServer(('127.0.0.1', {self.port}), http.server.SimpleHTTPRequestHandler)\n"
                   "server.serve_forever(poll_interval=60)\n")
        return [self.program, "-X", "faulthandler", "server.py"]

    def text(self, name, contents):
        # In order: a traceback.
        return self.plain(contents)

    def load(self):
        return http_load(self.port)
