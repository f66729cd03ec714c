# SPDX-License-Identifier: Apache-2.0
"""Daemons that run what others have written: queries, scripts, rules for a cache."""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from compare_endings.services import Python, Service, Web, children, fetch, free_port, http_load, patiently, tool


class PlainPython(Python):
    name = "python"

    def words(self):
        command = super().words()
        return [command[0], command[-1]]


class Node(Web):
    name, program, package = "node", "/usr/bin/node", "nodejs"

    def words(self):
        self.port = free_port()
        self.write("server.js", "require('http').createServer((request, response) => response.end('a page\\n'))"
                   f".listen({self.port}, '127.0.0.1');\n")
        return [self.program, "server.js"]

    def load(self):
        return http_load(self.port)


class Jvm(Web):
    """It repairs faults of its own code, takes one that it does not know for its end, and ends by abort(3)."""

    name, package = "java", "default-jdk-headless"
    program = str(max(pathlib.Path("/usr/lib/jvm").glob("java-*-openjdk-*/bin/java"), default=""))

    def words(self):
        self.port = free_port()
        # Many a null pointer, so that compiled code meets one as a fault.
        self.write("conf.java", "import com.sun.net.httpserver.HttpServer;\nimport java.net.InetSocketAddress;\n"
                   "class Page { int length;\n static int caught(Page page) { try { return page.length; }\n"
                   "  catch (NullPointerException none) { return 1; } }\n"
                   " public static void main(String[] words) throws Exception {\n  int caught = 0;\n"
                   "  for (int i = 0; i < 100000; i++) caught += caught(i % 1000 == 0 ? null : new Page());\n"
                   "  byte[] text = (caught == 100 ? \"a page\\n\" : \"none\").getBytes();\n"
                   f"  HttpServer server = HttpServer.create(new InetSocketAddress(\"127.0.0.1\", {self.port}), 0);\n"
                   "  server.createContext(\"/\", request -> { request.sendResponseHeaders(200, text.length);\n"
                   "   request.getResponseBody().write(text); request.close(); });\n  server.start(); } }\n")
        return [self.program, "-Xmx64m", f"-XX:ErrorFile={self.directory}/error", "conf.java"]

    def text(self, name, contents):
        return "\n".join(line for line in super().text(name, contents).splitlines() if "SIG" in line)


class Ruby(Web):
    """Its handler of a fault writes a report of its own, and ends by abort(3)."""

    name, package = "ruby", "ruby"
    program = str(max(pathlib.Path("/usr/bin").glob("ruby[0-9]*"), default=""))

    def words(self):
        self.port = free_port()
        self.write("server.rb", "require 'socket'\nThread.new { loop { sleep 1 } }\n"
                   f"server = TCPServer.new('127.0.0.1', {self.port})\nloop do\n  client = server.accept\n  client.gets\n"
                   "  client.write(\"HTTP/1.0 200 OK\\r\\n\\r\\na page\\n\")\n  client.close\nend\n")
        return [self.program, "server.rb"]

    def text(self, name, contents):
        # The report has addresses and the memory map.
        lines = super().text(name, contents).splitlines()
        return "\n".join(line for line in lines if "[BUG]" in line or line.startswith("--"))


class Varnish(Web):
    """The manager's child, another user's, does the work; the manager starts it anew."""

    name, program, package = "varnish", "/usr/sbin/varnishd", "varnish"

    def words(self):
        self.port = free_port()
        rules = self.directory / "conf"
        self.write("conf", "vcl 4.1;\nbackend default none;\nsub vcl_recv { return (synth(200)); }\n"
                   "sub vcl_synth { synthetic(\"a page\"); return (deliver); }\n")
        work = tempfile.mkdtemp(dir=self.shared, prefix="varnish-")
        os.chmod(work, 0o755)
        return [self.program, "-F", "-a", f"127.0.0.1:{self.port}", "-f", rules, "-n", work, "-s", "malloc,16m"]

    def load(self):
        return http_load(self.port)

    def victim(self, first):
        self.worker = patiently(lambda: children(first)[0])
        return self.worker

    def after(self, first, end):
        def replaced():
            if children(first) in ([], [self.worker]):
                raise ValueError("the child is not replaced")
            return fetch(self.port)
        if not end.startswith("SIGTERM"):
            patiently(replaced)
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGTERM)

    def text(self, name, contents):
        # The panic has addresses, times and what was served.
        words = ("died", "Panic at", "Assert error", "Fault at")
        return "\n".join(line for line in super().text(name, contents).splitlines() if any(word in line for word in words))


class Postgres(Service):
    """One of its processes, which has a connection, is ended; the first one ends the others, and starts anew."""

    name, package = "postgresql", "postgresql"
    program = str(max(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), default=""))
    owner = "postgres"

    def as_owner(self, *words):
        return ["/usr/bin/setpriv", f"--reuid={self.owner}", f"--regid={pwd.getpwnam(self.owner).pw_gid}", "--init-groups", *words]

    def near(self, name):
        return pathlib.Path(self.program).with_name(name)

    def words(self):
        self.directory.chmod(0o777)
        template = self.shared / "postgres"
        self.data = pathlib.Path(tempfile.mkdtemp(dir=self.shared, prefix="postgres-"))
        if not template.exists():
            template.mkdir()
            shutil.chown(template, self.owner)
            subprocess.run([str(word) for word in self.as_owner(
                self.near("initdb"), "-D", template, "-A", "trust", "--no-sync", "--no-locale")],
                check=True, capture_output=True, timeout=120, cwd="/")
        subprocess.run(["cp", "-a", f"{template}/.", str(self.data)], check=True, timeout=60)
        return self.as_owner(self.program, "-D", self.data, "-k", self.directory, "-c", "listen_addresses=",
                             "-c", "restart_after_crash=on")

    def ask(self, query):
        return tool(*self.client("psql"), "-Atc", query)

    def client(self, name):
        return [self.near(name), "-h", self.directory, "-U", self.owner, "postgres"]

    def work(self):
        return patiently(self.ask, "select 6 * 7")

    def load(self):
        # Its own script: there are no tables of pgbench's.
        self.write("script.sql", "select count(*) from pg_class;\n")
        return [*self.client("pgbench"), "-n", "-c", "2", "-T", "60", "-f", self.directory / "script.sql"]

    def victim(self, first):
        if getattr(self, "is_to_end", False):
            return first
        subprocess.Popen([str(word) for word in (*self.client("psql"), "-c", "select pg_sleep(60)")],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return patiently(lambda: int(self.ask("select pid from pg_stat_activity where query = 'select pg_sleep(60)'")))

    def after(self, first, end):
        if not end.startswith("SIGTERM"):
            patiently(self.ask, "select 1")
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGINT)

    def text(self, name, contents):
        words = ("terminated by signal", "terminating any other", "is shut down", "exited with")
        return "\n".join(line for line in super().text(name, contents).splitlines() if any(word in line for word in words))


class Mariadb(Service):
    """Some of its threads are io_uring's, which run in the kernel alone. Its handler of a fault writes a report."""

    name, program, package = "mariadb", "/usr/sbin/mariadbd", "mariadb-server-core"

    def settings(self, data):
        return ["--no-defaults", f"--datadir={data}", "--user=root", "--innodb-log-file-size=4M",
                "--innodb-buffer-pool-size=8M"]

    def words(self):
        template = self.shared / "mariadb"
        data = tempfile.mkdtemp(dir=self.shared, prefix="mariadb-")
        if not template.exists():
            subprocess.run(["mariadb-install-db", *self.settings(template), "--skip-test-db",
                            "--auth-root-authentication-method=normal"], check=True, capture_output=True, timeout=60)
        subprocess.run(["cp", "-a", f"{template}/.", data], check=True, timeout=60)
        return [self.program, *self.settings(data), "--skip-networking", f"--socket={self.directory}/socket",
                f"--pid-file={self.directory}/pid", f"--log-error={self.directory}/log"]

    def ask(self):
        return tool("mariadb", "--no-defaults", "-S", self.directory / "socket", "-u", "root", "-Ne",
                    "create database lab; select 6 * 7")

    def work(self):
        return patiently(self.ask)

    def text(self, name, contents):
        words = ("got signal", "Shutdown complete", "ready for connections")
        return "\n".join(line for line in super().text(name, contents).splitlines() if any(word in line for word in words))
