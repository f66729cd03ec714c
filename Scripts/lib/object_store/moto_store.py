# SPDX-License-Identifier: Apache-2.0
"""PyPI's moto as a second object store: written by others after S3 itself, with conditional writes, which Swift does not have.
It checks no signatures."""

import pathlib
import subprocess
import time
import urllib.parse
import urllib.request
import xml.etree.ElementTree

from object_store.private_swift import free_ports

NAMES = "{http://s3.amazonaws.com/doc/2006-03-01/}"
VERSION = "5.2.1"


class Moto:
    """Runs as long as a `with` block."""

    KEY_ID, SECRET, region = "test", "secret", "us-east-1"

    def __init__(self, environment):
        self.python = prepared(pathlib.Path(environment))
        self.endpoint = f"http://127.0.0.1:{free_ports('moto')['moto']}"
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.python, "-m", "moto.server", "-H", "127.0.0.1", "-p", self.endpoint.rpartition(":")[2]],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.request("GET", "/moto-api/")
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.__exit__()
                    raise
                time.sleep(0.1)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def request(self, method, path):
        with urllib.request.urlopen(
                urllib.request.Request(self.endpoint + path, method=method), timeout=60) as answer:
            return answer.headers, answer.read()

    def make_bucket(self, name):
        self.request("PUT", f"/{name}")

    def objects(self, bucket):
        _, body = self.request("GET", f"/{bucket}?list-type=2")
        return [{"name": entry.findtext(NAMES + "Key"), "bytes": int(entry.findtext(NAMES + "Size"))}
                for entry in xml.etree.ElementTree.fromstring(body).iter(NAMES + "Contents")]

    def fetch(self, bucket, name):
        return self.request("GET", f"/{bucket}/{urllib.parse.quote(name)}")


def prepared(environment):
    """The Python of an environment that has moto. One that was not finished is made anew."""
    python = environment / "bin/python"
    if not python.exists() or subprocess.run([str(python), "-c", "import moto.server"], check=False,
                                             stderr=subprocess.DEVNULL).returncode != 0:
        subprocess.run(["python3", "-m", "venv", "--clear", str(environment)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", f"moto[server,s3]=={VERSION}"], check=True)
    return str(python)
