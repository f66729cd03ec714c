# SPDX-License-Identifier: Apache-2.0
"""A symbol server on 127.0.0.1 that misbehaves in one way.

usage: symbol_server.py DIRECTORY WAY [FILE]

Writes its port to DIRECTORY/port once it listens, and the path of each request as a line to DIRECTORY/asked. WAY is one
of: missing (404 for all), stall (no answer), stall-in-body, endless (sends without a length and without end), huge (a file
of 3 GB), lie (FILE, whatever is asked for). Ends by itself after two minutes.
"""
import http.server
import os
import socketserver
import sys
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    way = ""
    directory = ""
    contents = b""

    def do_GET(self):
        with open(os.path.join(self.directory, "asked"), "a", encoding="utf-8") as file:
            file.write(self.path + "\n")
        try:
            getattr(self, "answer_" + self.way.replace("-", "_"))()
        except OSError:
            self.close_connection = True

    def begin(self, status, *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def answer_missing(self):
        self.begin(404, ("Content-Length", "0"))

    def answer_stall(self):
        time.sleep(120)

    def answer_stall_in_body(self):
        self.begin(200, ("Content-Length", "1000000"))
        self.wfile.write(b"abc")
        time.sleep(120)

    def answer_endless(self):
        self.begin(200, ("Connection", "close"))
        while True:
            self.wfile.write(b"x" * 65536)

    def answer_huge(self):
        self.begin(200, ("Content-Length", "3000000000"))
        while True:
            self.wfile.write(b"x" * 65536)

    def answer_lie(self):
        self.begin(200, ("Content-Length", str(len(self.contents))))
        self.wfile.write(self.contents)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def main():
    Handler.directory, Handler.way = sys.argv[1:3]
    if len(sys.argv) > 3:
        with open(sys.argv[3], "rb") as file:
            Handler.contents = file.read()
    server = Server(("127.0.0.1", 0), Handler)
    threading.Timer(120, os._exit, [0]).start()
    port = os.path.join(Handler.directory, "port")
    with open(port + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.server_address[1]))
    os.rename(port + ".new", port)
    server.serve_forever()


if __name__ == "__main__":
    main()
