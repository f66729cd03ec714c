# SPDX-License-Identifier: Apache-2.0
"""Servers of Debian whose work is done by workers, threads or sandboxed sessions, many of them another user's."""

import contextlib
import ftplib
import os
import signal
import socket
import ssl
import struct
import subprocess
import time

from compare_endings.services import READY_S, SETTLING_S, Service, Web, children, free_port, patiently, talk


def ask_address(port):
    """The last four bytes of the answer: the address of www.example.test."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(0.5)
        name = b"\3www\7example\4test\0"
        client.sendto(struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + name + struct.pack(">2H", 1, 1), ("127.0.0.1", port))
        answer = client.recv(512)
    return f"{answer.hex().count('0a010203')} address"


class Workers(Service):
    """The one worker is ended, which the master notices and mends; then the master is stopped."""

    def victim(self, first):
        self.first_workers = patiently(lambda: children(first)) or []
        return self.first_workers[-1] if self.first_workers else first

    def after(self, first, end):
        def replaced():
            if children(first) in ([], self.first_workers):
                raise ValueError("the worker is not replaced")
            return self.work()
        if end != "SIGTERM":
            patiently(replaced)
            time.sleep(SETTLING_S)
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGTERM)

    def text(self, name, contents):
        # Whether those stopped last still say so is chance.
        return "\n".join(line for line in super().text(name, contents).splitlines() if "signal" in line.lower())


class Apache(Web, Workers):
    """Of the event kind: the worker has 25 threads, which block nearly everything."""

    name, program, package = "apache event", "/usr/sbin/apache2", "apache2-bin"

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o777)
        self.write("page.txt", "a page\n")
        modules = ("mpm_event", "authz_core")
        self.write("conf", "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in modules)
                   + f"ServerName localhost\nListen 127.0.0.1:{self.port}\nUser www-data\nGroup www-data\n"
                   f"PidFile {self.directory}/pid\nErrorLog {self.directory}/log\nDefaultRuntimeDir {self.directory}\n"
                   f"DocumentRoot {self.directory}\nStartServers 1\nServerLimit 1\nThreadsPerChild 25\n"
                   "MaxRequestWorkers 25\nMinSpareThreads 1\nMaxSpareThreads 25\n")
        return [self.program, "-D", "FOREGROUND", "-f", self.directory / "conf"]


class Lighttpd(Web, Workers):
    """Its workers are forked after root was given up."""

    name, program, package = "lighttpd", "/usr/sbin/lighttpd", "lighttpd"

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o777)
        self.write("page.txt", "a page\n")
        self.write("conf", f"server.document-root = \"{self.directory}\"\nserver.port = {self.port}\n"
                   "server.bind = \"127.0.0.1\"\nserver.username = \"www-data\"\nserver.max-worker = 2\n"
                   f"server.errorlog = \"{self.directory}/log\"\n")
        return [self.program, "-D", "-f", self.directory / "conf"]


class Nsd(Workers):
    name, program, package = "nsd", "/usr/sbin/nsd", "nsd"

    def words(self):
        self.port = free_port(socket.SOCK_DGRAM)
        self.directory.chmod(0o777)
        self.write("zone", "$TTL 60\n@ IN SOA a b 1 1 1 1 1\n@ IN NS a\na IN A 10.1.2.4\nwww IN A 10.1.2.3\n")
        self.write("conf", f"server:\n port: {self.port}\n ip-address: 127.0.0.1\n username: nobody\n chroot: \"\"\n"
                   f" zonesdir: {self.directory}\n pidfile: {self.directory}/pid\n database: \"\"\n server-count: 1\n"
                   f" zonelistfile: {self.directory}/zonelist\n xfrdfile: {self.directory}/xfrd\n xfrdir: {self.directory}\n"
                   "remote-control:\n control-enable: no\n"
                   "zone:\n name: example.test\n zonefile: zone\n")
        return [self.program, "-d", "-c", self.directory / "conf"]

    def work(self):
        return patiently(ask_address, self.port)

    def victim(self, first):
        super().victim(first)
        return patiently(lambda: children(self.first_workers[-1])[0])

    def after(self, first, end):
        time.sleep(10 * SETTLING_S)
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGTERM)


class Uwsgi(Web, Workers):
    """A worker with Python and four threads, forked after root was given up."""

    name, program, package = "uwsgi", "/usr/bin/uwsgi-core", "uwsgi-plugin-python3"

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o777)
        self.write("conf.py", "def application(environment, answer):\n answer(\"200 OK\", [])\n return [b\"a page\\n\"]\n")
        return [self.program, "--plugins", "python3", "--http-socket", f"127.0.0.1:{self.port}", "--master", "--processes", "1",
                "--threads", "4", "--uid", "nobody", "--gid", "nogroup", "--need-app", "--die-on-term",
                "--wsgi-file", self.directory / "conf.py"]


class Unbound(Service):
    name, program, package = "unbound", "/usr/sbin/unbound", "unbound"

    def words(self):
        self.port = free_port(socket.SOCK_DGRAM)
        self.directory.chmod(0o777)
        self.write("conf", f"server:\n port: {self.port}\n interface: 127.0.0.1\n username: nobody\n chroot: \"\"\n"
                   f" directory: {self.directory}\n pidfile: {self.directory}/pid\n use-syslog: no\n num-threads: 4\n"
                   " module-config: iterator\n local-zone: \"example.test.\" static\n"
                   " local-data: \"www.example.test. A 10.1.2.3\"\nremote-control:\n control-enable: no\n")
        return [self.program, "-d", "-c", self.directory / "conf"]

    def work(self):
        return patiently(ask_address, self.port)


class Stunnel(Service):
    """A thread for each connection."""

    name, program, package = "stunnel", "/usr/bin/stunnel4", "stunnel4"

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o777)
        key = self.shared / "stunnel.pem"
        if not key.exists():
            subprocess.run(["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=localhost",
                            "-keyout", key, "-out", self.shared / "stunnel.crt"], check=True, capture_output=True, timeout=30)
            key.write_bytes(key.read_bytes() + (self.shared / "stunnel.crt").read_bytes())
            key.chmod(0o644)
        self.write("conf", f"foreground = quiet\npid =\nsetuid = nobody\nsetgid = nogroup\noutput = {self.directory}/log\n"
                   f"[echo]\naccept = 127.0.0.1:{self.port}\ncert = {key}\nexec = /bin/echo\nexecArgs = echo a page\n")
        return [self.program, self.directory / "conf"]

    def ask(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as plain:
            with context.wrap_socket(plain) as connection:
                return connection.recv(100).decode()

    def work(self):
        return patiently(self.ask)

    def text(self, name, contents):
        # Addresses of connections and the order of threads.
        return "\n".join(line for line in super().text(name, contents).splitlines() if "signal" in line.lower())


class Tor(Service):
    name, program, package = "tor", "/usr/bin/tor", "tor"
    sandbox = 0

    def words(self):
        self.directory.chmod(0o700)
        self.write("conf", f"DataDirectory {self.directory}/data\nDisableNetwork 1\nSocksPort 0\nSandbox {self.sandbox}\n"
                   f"ControlSocket {self.directory}/control\nCookieAuthentication 0\nLog notice file {self.directory}/log\n")
        return [self.program, "-f", self.directory / "conf", "--defaults-torrc", "/dev/null"]

    def work(self):
        return patiently(talk, str(self.directory / "control"), b"AUTHENTICATE\r\n")

    def text(self, name, contents):
        # Its crash log has addresses; its state has times.
        words = ("signal", "clean", "died")
        return "\n".join(line for line in super().text(name, contents).splitlines() if any(word in line for word in words))


class SandboxedTor(Tor):
    """Its filter refuses what it takes to send a signal. At fixed addresses: tor 0.4.9 blocks the signals whose bits are in
    a pointer to a block, with and without Epitaph, and SIGTERM is one of them in one run of two. A sampled block has
    other bits."""

    name, sandbox = "tor sandboxed", 1

    def words(self):
        return ["setarch", "--addr-no-randomize", *super().words()]


class Squid(Service):
    """Without workers: those are executed with rights of their own."""

    name, program, package = "squid -N", "/usr/sbin/squid", "squid"

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o777)
        self.write("conf", f"http_port 127.0.0.1:{self.port}\npid_filename {self.directory}/pid\ncache_log {self.directory}/log\n"
                   f"access_log none\ncache_effective_user proxy\ncoredump_dir {self.directory}\nshutdown_lifetime 0\n"
                   "visible_hostname localhost\npinger_enable off\nhttp_access deny all\nmax_filedescriptors 1024\n")
        return [self.program, "-N", "-f", self.directory / "conf"]

    def work(self):
        return patiently(lambda: talk(("127.0.0.1", self.port), b"GET / HTTP/1.0\r\n\r\n")[:12])

    def text(self, name, contents):
        words = ("signal", "FATAL", "Exiting")
        return "\n".join(line for line in super().text(name, contents).splitlines() if any(word in line for word in words))


class Vsftpd(Service):
    """The session, in a sandbox of its own, is ended; then the listener is stopped."""

    name, program, package = "vsftpd", "/usr/sbin/vsftpd", "vsftpd"

    def words(self):
        self.port = free_port()
        self.directory.chmod(0o755)
        for name in ("root", "empty"):
            (self.directory / name).mkdir(mode=0o755)
        self.write("conf", f"listen=YES\nlisten_address=127.0.0.1\nlisten_port={self.port}\nanonymous_enable=YES\n"
                   f"local_enable=NO\nftp_username=proxy\nnopriv_user=nobody\nanon_root={self.directory}/root\n"
                   f"secure_chroot_dir={self.directory}/empty\nbackground=NO\n")
        return [self.program, self.directory / "conf"]

    def log_in(self):
        self.session = ftplib.FTP(timeout=READY_S)
        self.session.connect("127.0.0.1", self.port)
        return self.session.login() + self.session.pwd()

    def work(self):
        return patiently(self.log_in)

    def victim(self, first):
        return patiently(lambda: children(patiently(lambda: children(first)[0]))[0])

    def after(self, first, end):
        time.sleep(5 * SETTLING_S)
        self.session.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGTERM)


SERVICES = [Apache, Lighttpd, Nsd, Uwsgi, Unbound, Stunnel, Tor, SandboxedTor, Squid, Vsftpd]
