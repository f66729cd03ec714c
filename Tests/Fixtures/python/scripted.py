# SPDX-License-Identifier: Apache-2.0
"""A collector on 127.0.0.1 that answers from a list, and records the contents of the forms it received.

usage: scripted.py DIRECTORY ANSWER...

An answer is STATUS, STATUS/SECONDS for one with a Retry-After, or STATUS=WORDS; the last one is
repeated for ever. Writes its port to DIRECTORY/port once it listens, and of each request, from
0 on, one line for each part to DIRECTORY/<n>.parts: name, file name or -, type, and how many bytes; python's
own HTTP server and mail parser read it. Ends by itself after a minute.
"""
import http.server
import os
import sys
import threading

import posted


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    answers = []
    directory = ""
    count = 0

    def do_POST(self):
        body = posted.body_of(self)
        if body is None:
            # Only complete requests are recorded and answered.
            return
        with self.lock:
            answer = posted.next_of(self.answers)
            self.record(body)
        status, _, words = answer.partition("=")
        status, _, seconds = status.partition("/")
        self.send_response(int(status))
        if seconds:
            self.send_header("Retry-After", seconds)
        self.send_header("Content-Length", str(len(words)))
        self.end_headers()
        self.wfile.write(words.encode())

    def record(self, body):
        path = os.path.join(self.directory, f"{Handler.count}.parts")
        Handler.count += 1
        with open(path + ".new", "w", encoding="utf-8") as file:
            for name, part in posted.parts_of(self, body):
                size = len(part.get_payload(decode=True))
                file.write(f"{name} {part.get_filename('-')} {part.get_content_type()} {size}\n")
        os.rename(path + ".new", path)

    def log_message(self, *_):
        pass


def main():
    Handler.directory, *Handler.answers = sys.argv[1:]
    posted.serve(Handler, Handler.directory, seconds=60)


if __name__ == "__main__":
    main()
