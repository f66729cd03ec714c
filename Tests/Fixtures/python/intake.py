# SPDX-License-Identifier: Apache-2.0
"""A server on 127.0.0.1 that takes crash reports and events, and keeps what they say.

usage: intake.py DIRECTORY [ANSWER...]

POST /reports takes the form of a crash report, POST /events lines of JSON. An answer is STATUS, or STATUS/SECONDS for
one with a Retry-After; the last one is repeated for ever, 200 if there is none. Writes its port to DIRECTORY/port once
it listens. Each request that came in whole is a line of JSON in DIRECTORY/received before it is answered: status,
path, and events, or fields and files (name to text, those that are no text to their length). Ends by itself after ten minutes.
"""
import email.parser
import email.policy
import gzip
import http.server
import json
import os
import signal
import sys
import threading


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
    directory = ""

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        with self.lock:
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            status, _, seconds = answer.partition("/")
            entry = {"status": int(status), "path": self.path, **self.told(body)}
            with open(os.path.join(self.directory, "received"), "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        self.send_response(int(status))
        if seconds:
            self.send_header("Retry-After", seconds)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def told(self, body):
        if self.path == "/events":
            return {"events": [json.loads(line) for line in body.splitlines()]}
        head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n"
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
        told = {"fields": {}, "files": {}}
        for part in form.iter_parts():
            name = part.get_param("name", header="content-disposition")
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
    signal.alarm(600)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    path = os.path.join(Handler.directory, "port")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(str(server.server_port))
    os.rename(path + ".part", path)
    server.serve_forever()


if __name__ == "__main__":
    main()
