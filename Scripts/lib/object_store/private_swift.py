# SPDX-License-Identifier: Apache-2.0
"""An OpenStack Swift of one's own, with its S3 interface: one device, four servers and a memcached on ports of 127.0.0.1, all
below one directory. Nothing of the system's Swift is used but the programs: no service, no /etc/swift, no log."""

import getpass
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

# Debian's modules are those of Debian's Python.
PYTHON = "/usr/bin/python3"
# Swift reads the salt of its hashes from a fixed path: swift/common/utils, SWIFT_CONF_FILE.
LAUNCHER = """
import sys
import swift.common.utils as utils
utils.SWIFT_CONF_FILE = sys.argv[2] + "/swift.conf"
from swift.common.wsgi import run_wsgi
sys.exit(run_wsgi(sys.argv[2] + "/" + sys.argv[1] + ".conf", sys.argv[1]))
"""
STORAGE = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {directory}
devices = {directory}/devices
mount_check = false
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
[{kind}-replicator]
[{kind}-updater]
[{kind}-auditor]
"""
PROXY = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {directory}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcache}
[filter:s3api]
use = egg:swift#s3api
location = {region}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# A server that was killed is asked again as soon as it is back.
error_suppression_interval = 0
"""


class PrivateSwift:
    """Runs as long as a `with` block. The key is `test:tester`, its secret `testing`."""

    KEY_ID, SECRET = "test:tester", "testing"

    def __init__(self, directory, region="us-east-1"):
        self.directory = pathlib.Path(directory)
        self.region = region
        self.processes = {}
        self.commands = {}
        self.token = None

    def __enter__(self):
        try:
            self.prepare()
            self.start()
            self.await_proxy()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.stop(name)

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.ports['proxy']}"

    def prepare(self):
        device = self.directory / "devices/d1"
        device.mkdir(parents=True)
        try:
            os.setxattr(device, "user.epitaph", b"1")
        except OSError as error:
            raise SystemExit(f"{device}: its file system keeps no extended attributes, which Swift needs: {error}")
        self.ports = free_ports("proxy", "account", "container", "object", "memcache")
        names = {"user": getpass.getuser(), "directory": self.directory, "memcache": self.ports["memcache"],
                 "region": self.region}
        (self.directory / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = epitaph\n")
        for kind in ("account", "container", "object"):
            self.write_server(kind, STORAGE, names)
            for command in (["create", "4", "1", "1"],
                            ["add", f"r1z1-127.0.0.1:{self.ports[kind]}/d1", "1"], ["rebalance"]):
                subprocess.run([PYTHON, "/usr/bin/swift-ring-builder", f"{kind}.builder", *command], cwd=self.directory,
                               check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.write_server("proxy", PROXY, names)

    def write_server(self, kind, template, names):
        text = template.format(kind=kind, port=self.ports[kind], **names)
        (self.directory / f"{kind}-server.conf").write_text(text)
        self.commands[kind] = [PYTHON, "-c", LAUNCHER, f"{kind}-server", str(self.directory)]

    def start(self):
        self.commands["memcache"] = [
            "memcached", "-l", "127.0.0.1", "-p", str(self.ports["memcache"]), "-m", "16", "-u", getpass.getuser()]
        for name in ("memcache", "account", "container", "object", "proxy"):
            self.run(name)

    def run(self, name):
        """Starts a server, also one that was stopped."""
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                self.commands[name], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def stop(self, name, how=signal.SIGTERM):
        """Ends a server and what it started."""
        process = self.processes.pop(name, None)
        if process is None:
            return
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            pass
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def await_proxy(self, seconds=60):
        deadline = time.monotonic() + seconds
        while True:
            try:
                with urllib.request.urlopen(
                        urllib.request.Request(f"{self.endpoint}/auth/v1.0", headers={
                            "X-Auth-User": self.KEY_ID, "X-Auth-Key": self.SECRET}), timeout=10) as answer:
                    self.token = answer.headers["X-Auth-Token"]
                self.native("GET", "?format=json")
                return
            except (OSError, urllib.error.URLError) as error:
                dead = [name for name, process in self.processes.items() if process.poll() is not None]
                if dead or time.monotonic() > deadline:
                    logs = "".join((self.directory / f"{name}.log").read_text()[-2000:] for name in dead or ["proxy"])
                    raise SystemExit(f"Swift does not start ({error}): {', '.join(dead)}\n{logs}") from error
                time.sleep(0.2)

    def native(self, method, path, body=None):
        """A request in Swift's own protocol, without S3 and its signatures: headers and body of the answer."""
        request = urllib.request.Request(
            f"{self.endpoint}/v1/AUTH_test{path}", method=method, data=body, headers={"X-Auth-Token": self.token})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.headers, answer.read()

    def make_bucket(self, name):
        self.native("PUT", f"/{name}")

    def objects(self, bucket):
        """What is in a bucket: name, bytes and hash of each object."""
        found, last = [], ""
        while True:
            _, body = self.native("GET", f"/{bucket}?format=json&marker={urllib.parse.quote(last)}")
            part = json.loads(body)
            if not part:
                return found
            found += part
            last = part[-1]["name"]

    def fetch(self, bucket, name):
        return self.native("GET", f"/{bucket}/{urllib.parse.quote(name)}")


def free_ports(*names):
    """A port for each name that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in names]
    ports = {name: place.getsockname()[1] for name, place in zip(names, sockets)}
    for place in sockets:
        place.close()
    return ports
