# SPDX-License-Identifier: Apache-2.0
"""Takes what is sent to PORT and keeps it in DIRECTORY, numbered: collector.py PORT DIRECTORY"""

import gzip
import http.server
import pathlib
import sys

directory = pathlib.Path(sys.argv[2])
directory.mkdir(exist_ok=True)


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        (directory / str(len(list(directory.iterdir())))).write_bytes(body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Collector).serve_forever()
