# SPDX-License-Identifier: Apache-2.0
"""Daemons that root starts and that another user's processes do the work of, in a database of root's."""

import contextlib
import os
import signal
import time

from compare_endings.services import SETTLING_S, Service, Web, children, fetch, free_port, http_load, patiently, talk


class Nginx(Web):
    """The worker, which is www-data's, is ended, which the master notices and mends; then the master is stopped."""

    name, program, package = "nginx", "/usr/sbin/nginx", "nginx-light"

    def words(self):
        self.port = free_port()
        self.write("page.txt", "a page\n")
        self.directory.chmod(0o777)
        self.write("conf", f"daemon off;\nuser www-data;\nworker_processes 1;\npid {self.directory}/pid;\n"
                   f"error_log {self.directory}/log notice;\nworker_rlimit_core 1g;\nworking_directory {self.directory};\n"
                   "events {}\nhttp {\n" + "".join(
                       f"{kind}_temp_path {self.directory}/{kind};\n"
                       for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) +
                   f"access_log {self.directory}/access;\n"
                   f"server {{ listen 127.0.0.1:{self.port}; root {self.directory}; }}\n}}\n")
        return [self.program, "-p", self.directory, "-c", self.directory / "conf"]

    def victim(self, first):
        self.first_workers = children(first)
        return self.first_workers[0] if self.first_workers else first

    def after(self, first, end):
        def replaced():
            if children(first) in ([], self.first_workers):
                raise ValueError("the worker is not replaced")
            return fetch(self.port)
        if end != "SIGTERM":
            patiently(replaced)
            time.sleep(SETTLING_S)
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGTERM)

    def load(self):
        return http_load(self.port)

    def text(self, name, contents):
        # Whether the worker that is stopped last still says so is chance.
        text = super().text(name, contents)
        return "\n".join(line for line in text.splitlines() if "exit" in line and "signal" in line or "GET" in line)


class NginxWithItsOwn(Nginx):
    """Root's master starts Epitaph in a database of its workers' user."""

    name, owner = "nginx (its own)", "www-data"


class Memcached(Service):
    name, program, package = "memcached", "/usr/bin/memcached", "memcached"

    def words(self):
        self.directory.chmod(0o777)
        return [self.program, "-u", "nobody", "-s", self.directory / "socket", "-a", "0777"]

    def work(self):
        return patiently(talk, str(self.directory / "socket"), b"set a 0 0 1\r\nb\r\n", b"get a\r\n")


class DaemonisedMemcached(Memcached):
    """Forks once, and then becomes nobody."""

    name = "memcached -d"

    def words(self):
        return [*super().words(), "-d", "-P", self.directory / "pid"]

    def victim(self, first):
        return patiently(lambda: int((self.directory / "pid").read_text()))


class Haproxy(Web):
    """In an empty root, as nobody."""

    name, program, package = "haproxy -db", "/usr/sbin/haproxy", "haproxy"
    mode = "-db"

    def words(self):
        self.port = free_port()
        (self.directory / "empty").mkdir(mode=0o755)
        self.write("conf", f"global\n chroot {self.directory}/empty\n user nobody\n group nogroup\n"
                   f" pidfile {self.directory}/pid\n maxconn 100\ndefaults\n mode http\n timeout client 5s\n"
                   f" timeout server 5s\n timeout connect 5s\nfrontend web\n bind 127.0.0.1:{self.port}\n"
                   " http-request return status 200 content-type text/plain string \"a page\"\n")
        return [self.program, self.mode, "-f", self.directory / "conf", *self.more()]

    def more(self):
        return []

    def load(self):
        return http_load(self.port)


class DaemonisedHaproxy(Haproxy):
    name, mode = "haproxy -D", "-D"

    def more(self):
        return ["-p", self.directory / "pid"]

    def victim(self, first):
        return patiently(lambda: int((self.directory / "pid").read_text()))


class HaproxyWithMaster(Haproxy):
    """The master is root's, and ends when its worker does."""

    name, mode = "haproxy -W", "-W"

    def victim(self, first):
        return patiently(lambda: children(first)[0])

    def after(self, first, end):
        def alone():
            if children(first):
                raise ValueError("the worker has not ended")
        # The master ends by itself then.
        with contextlib.suppress(OSError):
            patiently(alone)
            time.sleep(10 * SETTLING_S)
            os.kill(first, signal.SIGTERM)
