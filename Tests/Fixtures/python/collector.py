# SPDX-License-Identifier: Apache-2.0
"""A collector on 127.0.0.1 that gives one kind of answer and records what it is sent.

usage: collector.py DIRECTORY ANSWER [CERTIFICATE KEY [CLIENT-CA]]

The answers are those of this file and the names in misbehaviour.py. With CLIENT-CA, clients must show a certificate
signed by one of its authorities.

Writes its port to DIRECTORY/port once it listens, and each request's head and body to
DIRECTORY/<n>.head and DIRECTORY/<n>.body, where n counts from 0; a head's first line is the number
of the connection it came over. Ends by itself after five minutes.
"""
import os
import signal
import socket
import ssl
import sys
import threading

sys.dont_write_bytecode = True  # no compiled modules beside the sources

import misbehaviour  # noqa: E402

BIG_BYTES = 4 << 20  # of a larger body only the length and a digest of its parity are kept


def words(status, body, *headers):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def plain_answers(port):
    return {
        "ok": words("200 OK", b"bp-1234"),
        "hang-up-later": words("200 OK", b"bp-1234"),
        "accepted": words("202 Accepted", b""),
        # The second would be the answer to the next request on this connection.
        "twice": words("200 OK", b"bp-1234") + words("200 OK", b"stray"),
        "missing": words("404 Not Found", b"no such project"),
        "broken": words("500 Internal Server Error", b"try later"),
        "elsewhere": words(
            "307 Temporary Redirect", b"", f"Location: http://user:secret@localhost:{port}/secret"),
        "moved-for-good": words("301 Moved Permanently", b"", "Location: /there"),
        "found": words("302 Found", b"", "Location: /there"),
        "see-other": words("303 See Other", b"", "Location: /there"),
        "other-port": words("307 Temporary Redirect", b"", "Location: //127.0.0.1:1/there"),
        "downgrade": words(
            "308 Permanent Redirect", b"", f"Location: http://127.0.0.1:{port}/there"),
        "upgrade": words(
            "308 Permanent Redirect", b"", f"Location: https://127.0.0.1:{port}/there"),
        "other-scheme": words("307 Temporary Redirect", b"", "Location: file:///etc/passwd"),
        "bad-location": words("307 Temporary Redirect", b"", "Location: http://[::1/secret"),
        "circle": words("308 Permanent Redirect", b"", "Location: /again"),
        "nowhere": words("302 Found", b"lost"),
    }


class Collector:
    def __init__(self, directory, answer, port):
        self.directory = directory
        self.answer = answer
        self.port = port
        self.count = 0
        self.lock = threading.Lock()

    def serve(self, connection, number):
        try:
            with connection, connection.makefile("rb") as stream:
                if self.answer in misbehaviour.NAMES:
                    return misbehaviour.play(self.answer, connection, stream)
                if self.answer == "early-refusal":
                    # Answers after the head, while the body is still coming, and hangs up.
                    misbehaviour.read_head(stream)
                    connection.sendall(words("413 Content Too Large", b"at most 1 MB"))
                    return connection.shutdown(socket.SHUT_WR), stream.read()
                if self.answer == "early-success":
                    # Claims to have it all after the first bytes, and hangs up.
                    misbehaviour.read_head(stream)
                    stream.read(100)
                    return connection.sendall(plain_answers(self.port)["ok"])
                if self.answer == "deaf-success":
                    # The same, and keeps the connection without reading on.
                    misbehaviour.read_head(stream)
                    connection.sendall(
                        words("200 OK", b"bp-1234", "Connection: close"))
                    threading.Event().wait()
                if self.answer == "hang-up-later" and self.take(connection, stream, number):
                    # Closes an old connection in the middle of the next request's body.
                    misbehaviour.read_head(stream)
                    stream.read(100)
                    return None
                while self.take(connection, stream, number):
                    pass
        except (OSError, ssl.SSLError):
            pass

    def take(self, connection, stream, number):
        head = misbehaviour.read_head(stream)
        if not head:
            return False
        lengths = [line.split(b":")[1] for line in head if line[:15].lower() == b"content-length:"]
        length = int(lengths[0]) if lengths else 0
        self.record(number, head, self.read_body(stream, length))
        return self.reply(connection, head)

    def reply(self, connection, head):
        if self.answer in ("moved", "moved-as-other"):
            here = b" /there?key=1 " in head[0]
            place = "" if self.answer == "moved" else f"http://other:user@127.0.0.1:{self.port}"
            connection.sendall(
                words("200 OK", b"moved") if here else
                words("307 Temporary Redirect", b"", f"Location: {place}/there?key=1"))
        elif self.answer == "once-each":
            # Keeps the connection, as far as the client can tell, and closes it.
            connection.sendall(words("200 OK", b"once"))
            return False
        else:
            connection.sendall(plain_answers(self.port)[self.answer])
        return True

    def record(self, number, head, body):
        with self.lock:
            name = os.path.join(self.directory, str(self.count))
            self.count += 1
        with open(name + ".body", "wb") as file:
            file.write(body)
        with open(name + ".head", "wb") as file:
            file.write(b"%d\r\n" % number + b"".join(head))

    @staticmethod
    def read_body(stream, length):
        if length <= BIG_BYTES:
            return stream.read(length)
        left, parity = length, 0
        while left > 0:
            chunk = stream.read(min(left, BIG_BYTES))
            if not chunk:
                break
            left -= len(chunk)
            parity ^= int.from_bytes(chunk[:8], "little")
        return b"%d %d" % (length - left, parity)


def secured(connection, context):
    rest = connection.dup()
    with rest:
        try:
            return context.wrap_socket(connection, server_side=True)
        except ssl.SSLError:
            # A close with bytes unread would be a reset, which overtakes the alert that says why.
            rest.shutdown(socket.SHUT_WR)
            misbehaviour.wait_for_end(rest)
            raise


def main():
    directory, answer, *certificate = sys.argv[1:]
    signal.alarm(300)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate[:2])
        if certificate[2:]:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(certificate[2])
    with open(os.path.join(directory, "port.part"), "w") as file:
        file.write(str(port))
    os.rename(os.path.join(directory, "port.part"), os.path.join(directory, "port"))
    collector = Collector(directory, answer, port)
    number = 0
    while True:
        connection, _ = listener.accept()
        if context:
            try:
                connection = secured(connection, context)
            except (OSError, ssl.SSLError):
                continue
        threading.Thread(target=collector.serve, args=(connection, number), daemon=True).start()
        number += 1


if __name__ == "__main__":
    main()
