# SPDX-License-Identifier: Apache-2.0
"""A current ClickHouse behind HTTP: PyPI's chdb holds the engine but no server, so this answers for it, one request
after the other. Run by clickhouse.current() with the Python that has chdb.

    chdb_server.py DIRECTORY    prints the port of 127.0.0.1 that it listens on
"""

import http.server
import sys
import urllib.parse

from chdb import session

# What the address may say besides settings.
NO_SETTINGS = {"query", "user", "password", "database", "wait_end_of_query"}


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(b"")

    def do_POST(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return self.answer(b"".join(pieces))
        return self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def answer(self, body):
        said = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        text = said.get("query", "")
        # As ClickHouse does: the body goes on where the query in the address ends.
        statement = text + ("\n" if text and body else "") + body.decode(errors="surrogateescape")
        status, data = 200, b""
        try:
            for name, value in said.items():
                if name not in NO_SETTINGS:
                    self.server.session.query("SET {} = '{}'".format(name, value.replace("'", "\\'")))
            data = self.server.session.query(statement, "TabSeparated").bytes() or b""
        except Exception as error:
            status, data = 500, str(error).encode()
        self.send_response(status)
        if status != 200:
            self.send_header("X-ClickHouse-Exception-Code", "1")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
    server.session = session.Session(sys.argv[1])
    server.session.query("SET max_threads = 2")
    server.session.query("SET max_memory_usage = 2147483648")
    print(server.server_port, flush=True)
    server.serve_forever()


main()
