# SPDX-License-Identifier: Apache-2.0
"""A web server on 127.0.0.1 with a path for each thing that a client may meet.

usage: web.py DIRECTORY

/echo       answers with the body that it was sent
/bytes/N    N bytes
/status/N   that status, with a short body
/redirect   leads to /bytes/5
/cached     may be kept by the client for an hour
/login      401 unless the user is ada with the password lovelace
/slow       its head at once, its body never
/close      closes the connection without an answer

Every answer has a header Set-Cookie and a header X-Kind. Writes its port to DIRECTORY/port once it listens, and a line
for each request to DIRECTORY/requests: method, path, bytes of the body, and the header X-Own. Ends by itself after five
minutes.
"""
import base64
import http.server
import os
import signal
import sys
import threading

DIRECTORY = sys.argv[1]
LOCK = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read_body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, body, *headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "session=secret")
        self.send_header("X-Kind", "test")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self):
        body = self.read_body()
        with LOCK, open(os.path.join(DIRECTORY, "requests"), "a") as record:
            record.write(f"{self.command} {self.path} {len(body)} {self.headers.get('X-Own', '-')}\n")
        name, _, argument = self.path.split("?")[0].lstrip("/").partition("/")
        if name == "echo":
            self.answer(200, body)
        elif name == "bytes":
            self.answer(200, b"x" * int(argument))
        elif name == "status":
            self.answer(int(argument), b"so be it")
        elif name == "redirect":
            self.answer(302, b"elsewhere", ("Location", "/bytes/5"))
        elif name == "cached":
            self.answer(200, b"kept", ("Cache-Control", "max-age=3600"))
        elif name == "login":
            wanted = "Basic " + base64.b64encode(b"ada:lovelace").decode()
            if self.headers.get("Authorization") == wanted:
                self.answer(200, b"welcome")
            else:
                self.answer(401, b"who?", ("WWW-Authenticate", 'Basic realm="ledger"'))
        elif name == "slow":
            self.send_response(200)
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.wfile.flush()
            self.rfile.read(1)  # until the client gives up
            self.close_connection = True
        else:
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_HEAD = handle_any


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # clients break off

    daemon_threads = True
    request_queue_size = 128


signal.alarm(300)
server = Server(("127.0.0.1", 0), Handler)
temporary = os.path.join(DIRECTORY, "port.new")
with open(temporary, "w") as port:
    port.write(str(server.server_address[1]))
os.rename(temporary, os.path.join(DIRECTORY, "port"))
server.serve_forever()
