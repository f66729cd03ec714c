# SPDX-License-Identifier: Apache-2.0
"""Mail servers of Debian: a master clears the environment, but for what it is told to keep, and executes a program for each
kind of work."""

import contextlib
import os
import pwd
import signal
import socket
import subprocess
import time

from compare_endings.services import READY_S, SETTLING_S, Service, children, free_port, patiently

# As docs/coverage-by-daemon.md has it, without the values, so that the file is the same without the library.
KEPT = "LD_PRELOAD EPITAPH_DATABASE EPITAPH_EXECUTABLE EPITAPH_HEAP_SAMPLING"


class Mail(Service):
    """The program that talks with a client is ended, then the master is stopped."""

    def victim(self, first):
        def talking():
            return next(pid for pid in children(first) if os.readlink(f"/proc/{pid}/exe") == self.program)
        return patiently(talking)

    def begin(self):
        self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=READY_S)
        self.connection.sendall(self.greeting)
        return self.connection.recv(4096).decode().splitlines()[0]

    def work(self):
        return patiently(self.begin)

    def text(self, name, contents):
        # Random.
        return "" if "secret" in name else super().text(name, contents)

    def after(self, first, end):
        time.sleep(5 * SETTLING_S)
        self.connection.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGTERM)


class Dovecot(Mail):
    name, program, package = "dovecot", "/usr/lib/dovecot/auth", "dovecot-core"
    greeting = b"VERSION\t1\t2\nCPID\t77\n"

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o755)
        (self.directory / "state").mkdir()
        self.write("conf", f"base_dir = {self.directory}/run\nstate_dir = {self.directory}/state\n"
                   f"log_path = {self.directory}/log\nssl = no\nprotocols =\n"
                   f"import_environment = $import_environment {KEPT}\n"
                   "passdb {\n driver = static\n args = nopassword=y\n}\n"
                   "userdb {\n driver = static\n args = uid=nobody gid=nogroup home=/nonexistent\n}\n"
                   f"service auth {{\n inet_listener {{\n address = 127.0.0.1\n port = {self.port}\n }}\n}}\n")
        return ["/usr/sbin/dovecot", "-F", "-c", self.directory / "conf"]

    def endings(self, endings):
        # The writer of the log ends when nobody else is left, in one run of ten before the master, which then awaits it.
        rest = list(endings)
        with contextlib.suppress(ValueError):
            rest.remove("other exit 0")
        return rest


class Postfix(Mail):
    name, program, package = "postfix", "/usr/lib/postfix/sbin/smtpd", "postfix"
    greeting = b""

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o755)
        for part in ("etc", "spool", "data"):
            (self.directory / part).mkdir()
        os.chown(self.directory / "data", pwd.getpwnam("postfix").pw_uid, -1)
        self.write("etc/main.cf", f"compatibility_level = 3.6\nqueue_directory = {self.directory}/spool\n"
                   f"data_directory = {self.directory}/data\nmaillog_file = {self.directory}/log\n"
                   f"maillog_file_prefixes = {self.directory}\ninet_interfaces = 127.0.0.1\ninet_protocols = ipv4\n"
                   "mynetworks = 127.0.0.0/8\nmyhostname = mail.example.test\nmydestination =\nlocal_recipient_maps =\n"
                   f"alias_maps =\nalias_database =\nimport_environment = MAIL_CONFIG MAIL_LOGTAG TZ LANG=C {KEPT}\n")
        self.write("etc/master.cf", f"127.0.0.1:{self.port} inet n - n - - smtpd\nproxymap unix - - n - - proxymap\n"
                   "rewrite unix - - n - - trivial-rewrite\nanvil unix - - n - 1 anvil\npostlog unix-dgram n - n - 1 postlogd\n")
        # It makes the queue's directories.
        subprocess.run(["/usr/sbin/postfix", "-c", self.directory / "etc", "check"], check=True, capture_output=True, timeout=30)
        return ["/usr/lib/postfix/sbin/master", "-c", self.directory / "etc", "-d"]


SERVICES = [Dovecot, Postfix]
