# SPDX-License-Identifier: Apache-2.0
"""A collector on 127.0.0.1 that answers from a list, and records the contents of the forms it received.

usage: scripted.py DIRECTORY ANSWER...

An answer is STATUS, STATUS/SECONDS for one with a Retry-After, or STATUS=WORDS; the last one is
repeated for ever. Writes its port to DIRECTORY/port once it listens, and of each request, from
0 on, one line for each part to DIRECTORY/<n>.parts: name, file name or -, type, and how many bytes; python's
own HTTP server and mail parser read it. Ends by itself after a minute.
"""
import email.parser
import email.policy
import gzip
import http.server
import os
import signal
import sys
import threading

LOCK = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            # The client aborted the request: only complete requests are recorded and answered.
            self.close_connection = True
            return
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        with LOCK:
            answer = self.server.answers.pop(0)
            if not self.server.answers:
                self.server.answers.append(answer)
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
        head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n"
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
        path = os.path.join(self.server.directory, f"{self.server.count}.parts")
        self.server.count += 1
        with open(path + ".new", "w", encoding="utf-8") as file:
            for part in form.iter_parts():
                name = part.get_param("name", header="content-disposition")
                size = len(part.get_payload(decode=True))
                file.write(f"{name} {part.get_filename('-')} {part.get_content_type()} {size}\n")
        os.rename(path + ".new", path)

    def log_message(self, *_):
        pass


def main():
    directory, *answers = sys.argv[1:]
    signal.alarm(60)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.directory, server.answers, server.count = directory, answers, 0
    with open(os.path.join(directory, "port.part"), "w", encoding="utf-8") as file:
        file.write(str(server.server_address[1]))
    os.rename(os.path.join(directory, "port.part"), os.path.join(directory, "port"))
    server.serve_forever()


if __name__ == "__main__":
    main()
