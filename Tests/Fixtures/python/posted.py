# SPDX-License-Identifier: Apache-2.0
"""What the servers that take posted forms have in common."""
import email.parser
import email.policy
import gzip
import http.server
import os
import signal


def body_of(handler):
    """The body of a request, inflated; None if the client hung up before its end."""
    length = int(handler.headers["Content-Length"])
    body = handler.rfile.read(length)
    if len(body) < length:
        handler.close_connection = True
        return None
    return gzip.decompress(body) if handler.headers.get("Content-Encoding") == "gzip" else body


def parts_of(handler, body):
    """The parts of a form with their names, as python's own mail parser reads them."""
    head = b"Content-Type: " + handler.headers["Content-Type"].encode() + b"\r\n\r\n"
    form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    for part in form.iter_parts():
        yield part.get_param("name", header="content-disposition"), part


def next_of(answers):
    """The next of the answers; the last one is repeated for ever."""
    return answers.pop(0) if len(answers) > 1 else answers[0]


def serve(handler, directory, seconds):
    """Serves on 127.0.0.1, writes the port to DIRECTORY/port once it listens, and ends by itself."""
    signal.alarm(seconds)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    path = os.path.join(directory, "port")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(str(server.server_port))
    os.rename(path + ".part", path)
    server.serve_forever()
