# SPDX-License-Identifier: Apache-2.0
"""A server on 127.0.0.1 that takes crash reports and events, and keeps what they say.

usage: intake.py DIRECTORY [ANSWER...]

POST /reports takes the form of a crash report, POST /events lines of JSON. An answer is STATUS, or STATUS/SECONDS for
one with a Retry-After; the last one is repeated for ever, 200 if there is none. A report that is taken is called
intake-1, intake-2 and so on in the answer. Writes its port to DIRECTORY/port once
it listens. Each request that came in whole is a line of JSON in DIRECTORY/received before it is answered: status,
path, and events, or fields and files (name to text, those that are no text to their length). Ends by itself after ten minutes.
"""
import http.server
import itertools
import json
import os
import sys
import threading

import posted


def content(part):
    body = part.get_payload(decode=True)
    try:
        return body.decode()
    except UnicodeDecodeError:
        return len(body)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    answers = ["200"]
    numbers = itertools.count(1)
    directory = ""

    def do_POST(self):
        body = posted.body_of(self)
        if body is None:
            return
        with self.lock:
            answer = posted.next_of(self.answers)
            status, _, seconds = answer.partition("/")
            entry = {"status": int(status), "path": self.path, **self.told(body)}
            with open(os.path.join(self.directory, "received"), "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        self.send_response(int(status))
        if seconds:
            self.send_header("Retry-After", seconds)
        answer = b""
        if self.path.startswith("/reports") and status == "200":
            # One for each answer, though requests come at once.
            answer = f"intake-{next(self.numbers)}".encode()
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def told(self, body):
        if self.path == "/events":
            return {"events": [json.loads(line) for line in body.splitlines()]}
        told = {"fields": {}, "files": {}}
        for name, part in posted.parts_of(self, body):
            told["files" if part.get_filename() else "fields"][name] = content(part)
        return told

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            # A client that ends hangs up, also on an answer that is on its way.
            self.close_connection = True

    def log_message(self, *_):
        pass


def main():
    Handler.directory, *answers = sys.argv[1:]
    if answers:
        Handler.answers = answers
    posted.serve(Handler, Handler.directory, seconds=600)


if __name__ == "__main__":
    main()
