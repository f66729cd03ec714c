# SPDX-License-Identifier: Apache-2.0
"""Private ClickHouse servers: Debian's clickhouse-server as shards of one cluster, on ports of 127.0.0.1 that nobody
else has, with everything they write in one directory, bounded memory, and an end with the program that started them.

    with clickhouse.shards(2) as servers:
        servers[0].ask("SELECT version()")
        servers[0].insert("crashes", lines)

The cluster is called `fleet`, so a Distributed table is `Distributed(fleet, default, crashes_shard, …)`.

    with clickhouse.current() as server:     # an engine of today, with the same methods to ask
"""

import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
START_S = 60
STOP_S = 30
ASK_S = 300
MEMORY_BYTES = 2 << 30

CONFIGURATION = """<yandex>
  <logger><level>warning</level><log>{root}/server.log</log><errorlog>{root}/errors.log</errorlog>
    <size>10M</size><count>2</count></logger>
  <http_port>{http_port}</http_port>
  <tcp_port>{tcp_port}</tcp_port>
  <listen_host>127.0.0.1</listen_host>
  <path>{root}/data/</path>
  <tmp_path>{root}/tmp/</tmp_path>
  <user_files_path>{root}/files/</user_files_path>
  <format_schema_path>{root}/schemas/</format_schema_path>
  <users_config>{root}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>UTC</timezone>
  <max_connections>256</max_connections>
  <max_concurrent_queries>32</max_concurrent_queries>
  <mark_cache_size>67108864</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <remote_servers><fleet>{shards}</fleet></remote_servers>
</yandex>
"""
SHARD = """<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host>
    <port>{tcp_port}</port></replica></shard>"""
# 18.16 has no bound for a whole server, only these.
USERS = """<yandex>
  <profiles><default>
    <max_memory_usage>{memory}</max_memory_usage>
    <max_memory_usage_for_all_queries>{memory}</max_memory_usage_for_all_queries>
    <max_threads>2</max_threads>
    <use_uncompressed_cache>0</use_uncompressed_cache>
    <load_balancing>random</load_balancing>
    <log_queries>0</log_queries>
  </default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota></default>
    {further}
  </users>
</yandex>
"""
USER = """<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota></{name}>"""


class Refused(Exception):
    """What a server answered instead of a result: its status and its text."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text.strip()[:2000]}")
        self.status, self.text = status, text


def is_installed():
    return shutil.which("clickhouse-server", path="/usr/sbin:/usr/bin:" + os.environ.get("PATH", "")) is not None


def free_ports(count):
    """Ports that nothing listens on at this moment; all are bound at once so that they differ."""
    with contextlib.ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def die_with_parent():
    # PR_SET_PDEATHSIG: a server must not outlive a script that is killed.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Asked:
    """What answers HTTP at `url`."""

    def ask(self, statement, data=None, timeout=ASK_S, user=None, password=None, **settings):
        """The answer's text. With data (bytes or pieces of bytes) the statement is in the query and the data in the
        body, as ClickHouse wants an INSERT."""
        headers = {}
        if user is not None:
            headers = {"X-ClickHouse-User": user, "X-ClickHouse-Key": password or ""}
        parameters = {name: str(value) for name, value in settings.items()}
        body = statement.encode()
        if data is not None:
            parameters["query"] = statement
            body = data if isinstance(data, bytes) else b"".join(data)
        url = self.url + "/?" + urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data=body, headers=headers), timeout=timeout) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, error.read().decode(errors="replace")) from None
        return text

    def rows(self, statement, **settings):
        """The rows of an answer as objects. 64-bit numbers are numbers here, not texts."""
        settings.setdefault("output_format_json_quote_64bit_integers", 0)
        text = self.ask(statement.rstrip().rstrip(";") + "\nFORMAT JSONEachRow", **settings)
        return [json.loads(line) for line in text.splitlines()]

    def insert(self, table, rows, **settings):
        """Rows are objects, or lines of JSON in bytes."""
        lines = b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)
        self.ask(f"INSERT INTO {table} FORMAT JSONEachRow", data=lines, **settings)

    def memory_bytes(self):
        """What the server holds in memory now, and the most it held."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        return tuple(int(fields[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))


class Server(Asked):
    """One of Debian's servers."""

    def __init__(self, root, http_port, tcp_port, all_tcp_ports, users=None):
        self.root, self.http_port, self.tcp_port = pathlib.Path(root), http_port, tcp_port
        self.url = f"http://127.0.0.1:{http_port}"
        self.process = None
        for name in ("data", "tmp", "files", "schemas"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        shards = "".join(SHARD.format(tcp_port=port) for port in all_tcp_ports)
        (self.root / "config.xml").write_text(
            CONFIGURATION.format(root=self.root, http_port=http_port, tcp_port=tcp_port, shards=shards))
        further = "".join(USER.format(name=name, password=password) for name, password in (users or {}).items())
        (self.root / "users.xml").write_text(USERS.format(memory=MEMORY_BYTES, further=further))

    def start(self):
        """Returns when the server answers. What is on its disk from before is there again."""
        output = (self.root / "output.log").open("ab")
        with output:
            self.process = subprocess.Popen(
                ["/usr/sbin/clickhouse-server", f"--config-file={self.root}/config.xml"], cwd=self.root,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=die_with_parent)
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"clickhouse-server ended with {self.process.returncode}: {self.last_words()}")
            with contextlib.suppress(OSError, Refused):
                if self.ask("SELECT 1", timeout=5).strip() == "1":
                    return
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"clickhouse-server did not answer in {START_S} s: {self.last_words()}")

    def last_words(self):
        texts = [(self.root / name).read_text(errors="replace") for name in ("output.log", "errors.log")
                 if (self.root / name).exists()]
        return "\n".join(texts)[-2000:]

    def stop(self):
        """Ends the server: asked first, then killed."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self):
        """What a power failure is to the server."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None



@contextlib.contextmanager
def shards(count, directory=None, users=None):
    """Servers that know each other as the shards of the cluster `fleet`. They and what they wrote are gone afterwards.
    `users` are further users and their passwords; without a name one is `default`, which has none."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="epitaph-clickhouse-", dir=directory))
    servers = []
    try:
        ports = free_ports(2 * count)
        for index in range(count):
            servers.append(Server(root / f"shard{index + 1}", ports[index], ports[count + index], ports[count:], users))
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(root, ignore_errors=True)


@contextlib.contextmanager
def current(directory=None, python=ROOT / ".build/python/bin/python"):
    """A server of today: PyPI's chdb-core (Scripts/setup lab) behind HTTP."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="epitaph-chdb-", dir=directory))
    server = Asked()
    server.process = subprocess.Popen(
        [python, pathlib.Path(__file__).with_name("chdb_server.py"), root], cwd=root, stdout=subprocess.PIPE, text=True,
        preexec_fn=die_with_parent)
    try:
        port = server.process.stdout.readline().strip()
        if not port:
            raise RuntimeError("chdb did not start; does .build/python have chdb-core (Scripts/setup lab)?")
        server.url = f"http://127.0.0.1:{port}"
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        shutil.rmtree(root, ignore_errors=True)
