# SPDX-License-Identifier: Apache-2.0
"""A server on 127.0.0.1 that accepts logs, and fails in random ways if it gets a seed.

usage: log_server.py DIRECTORY [SEED]

Writes its port to DIRECTORY/port once it listens, and a line of JSON to DIRECTORY/received for each
log that it received completely, before it answers: the request's method, path and headers, and the SHA-256
and the length of the log's text, decompressed as Content-Encoding says. With a seed, some requests
are answered with an error, some not at all, and some only after the log was recorded. Ends by
itself after five minutes.
"""
import hashlib
import http.server
import json
import os
import random
import signal
import sys
import threading
import zlib


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    chance = None
    directory = ""

    def do_POST(self):
        failure = None
        if self.chance is not None:
            with self.lock:
                failure = self.chance.choice(
                    [None, None, None, None, "reset", "lost", "500", "503", "408"])
        length = int(self.headers["Content-Length"])
        if failure == "reset":
            self.rfile.read(length // 2)
            return self.hang_up()
        entry = self.read_log(length)
        if failure in ("500", "503", "408"):
            headers = {"Retry-After": "1"} if failure == "503" else {}
            return self.answer(int(failure), b"not now", headers)
        if entry is None:
            return self.hang_up()
        with self.lock, open(os.path.join(self.directory, "received"), "a") as file:
            file.write(json.dumps(entry) + "\n")
        if failure == "lost":
            return self.hang_up()
        return self.answer(201, b"", {})

    do_PUT = do_POST

    def read_log(self, left):
        """None if the client disconnected before the end."""
        inflater = None
        if self.headers.get("Content-Encoding") == "gzip":
            inflater = zlib.decompressobj(wbits=31)
        digest, length = hashlib.sha256(), 0
        while left > 0:
            chunk = self.rfile.read(min(left, 1 << 16))
            if not chunk:
                return None
            left -= len(chunk)
            text = inflater.decompress(chunk) if inflater else chunk
            digest.update(text)
            length += len(text)
        if inflater and not inflater.eof:
            raise ValueError("the gzip body has no end")
        return {
            "method": self.command, "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "sha256": digest.hexdigest(), "length": length,
        }

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self):
        self.close_connection = True

    def log_message(self, *arguments):
        pass


def main():
    directory, *seed = sys.argv[1:]
    signal.alarm(300)
    Handler.directory = directory
    if seed:
        Handler.chance = random.Random(int(seed[0]))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with open(os.path.join(directory, "port.part"), "w") as file:
        file.write(str(server.server_port))
    os.rename(os.path.join(directory, "port.part"), os.path.join(directory, "port"))
    server.serve_forever()


if __name__ == "__main__":
    main()
