# SPDX-License-Identifier: Apache-2.0
"""Ways in which a server fails: what it sends after a complete request, and how it stalls or hangs up before that.

Each function gets one connection, of TLS or not, and a stream that reads from it. When it returns, the connection is
closed.
"""
import itertools
import os
import socket
import struct
import time

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH_100 = OK + b"Content-Length: 100\r\n\r\n"

# Sent after the whole request; then the connection is closed.
CLOSING = {
    "close-after-request": b"",
    "close-early": LENGTH_100 + b"bp-1234",
    "close-in-chunk": CHUNKED + b"64\r\nbp-1234",
    "close-in-head": OK + b"Content-Len",
    "continue-and-close": b"HTTP/1.1 100 Continue\r\n\r\n",
    "noise": bytes(range(256)) * 64,
    "bad-status": b"HTTP/1.1 OK yes\r\nContent-Length: 0\r\n\r\n",
    "bad-length": OK + b"Content-Length: many\r\n\r\nbp-1234",
    "bad-chunk": CHUNKED + b"zz\r\nbp-1234\r\n0\r\n\r\n",
    "switching": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\n\r\nhello",
    # Without a length the end of the connection is the end of the body: RFC 9112 6.3.
    "no-length": OK + b"\r\nbp-1234",
    "interim": b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n"
               + OK + b"Content-Length: 7\r\n\r\nbp-1234",
    # No body, whatever the headers say: RFC 9110 15.3.5.
    "no-content": b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\nbp-1234",
    "later": b"HTTP/1.1 503 Busy\r\nretry-AFTER:\t 120 \r\nContent-Length: 0\r\n\r\n",
}

# Sent after the whole request; then the server neither sends more nor hangs up.
STALLING = {
    "stall": b"",
    "stall-in-status": b"HTTP/1.",
    "stall-in-headers": OK + b"Content-Type: text/plain\r\nContent-Le",
    "stall-in-body": LENGTH_100 + b"bp-",
    "stall-in-refusal": b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 100\r\n\r\nat most 1 MB",
}

# Sent after the whole request: a beginning, and then a piece again and again.
ENDLESS = {
    "body-flood": (OK + b"Content-Length: 1000000000\r\n\r\n", lambda number: b"y" * 65536),
    "chunk-flood": (CHUNKED, lambda number: b"1000\r\n" + b"y" * 4096 + b"\r\n"),
    "header-flood": (OK, lambda number: b"X-Flood-%d: %s\r\n" % (number, b"h" * 1000)),
    "header-line-flood": (OK + b"X-Flood: ", lambda number: b"h" * 65536),
    "trailer-flood": (
        CHUNKED + b"7\r\nbp-1234\r\n0\r\n", lambda number: b"X-Flood-%d: %s\r\n" % (number, b"t" * 1000)),
    "continue-flood": (b"", lambda number: b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "noise-flood": (b"", lambda number: os.urandom(65536)),
}

# Sent after the whole request, cut off: after no byte for the first connection, one byte for the next, and so on. The
# connection after the whole answer gets it once more.
CUT = {
    "cut-anywhere": OK + b"Server: x\r\nContent-Length: 7\r\n\r\nbp-1234",
    "cut-in-chunks": CHUNKED + b"3\r\nbp-\r\n4;x=y\r\n1234\r\n0\r\nX-Trailer: t\r\n\r\n",
}
CHANGED = OK + b"Server: x\r\nTransfer-Encoding: chunked\r\nRetry-After: 7\r\n\r\n7\r\nbp-1234\r\n0\r\n\r\n"
connections = itertools.count()

# Sent after the whole request, a byte every fifth of a second.
SLOW = {
    "slow-headers": OK + b"X-Slow: " + b"s" * 10_000,
    "slow-body": OK + b"Content-Length: 10000\r\n\r\n" + b"s" * 10_000,
}


def deaf(connection, stream):
    """Reads the head and no more: the body of a large report gets stuck."""
    read_head(stream)
    time.sleep(600)


def mail_server(connection, stream):
    connection.sendall(b"220 mail.example.org ready\r\n")
    wait_for_end(connection)


def unasked_continue(connection, stream):
    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    read_request(stream)
    connection.sendall(OK + b"Content-Length: 7\r\n\r\nbp-1234")


def echo(connection, stream):
    """A refusal that repeats the request's head."""
    words = b"refused: " + b" ".join(read_request(stream)).replace(b"\r\n", b" ")
    connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: %d\r\n\r\n" % len(words) + words)


def grateful_echo(connection, stream):
    """A success that repeats the request's head."""
    words = b"got " + b" ".join(read_request(stream)).replace(b"\r\n", b" ")
    connection.sendall(OK + b"Content-Length: %d\r\n\r\n" % len(words) + words)


def changed(connection, stream):
    """A good answer with one byte changed, at another place and to another value each time."""
    read_request(stream)
    number = next(connections)
    answer = bytearray(CHANGED)
    answer[number % len(answer)] = number * 167 % 256
    connection.sendall(answer)


def noise_below(connection, stream):
    """Bytes that are not a TLS record, in the middle of a secure connection."""
    read_request(stream)
    with socket.socket(fileno=os.dup(connection.fileno())) as below:
        below.sendall(bytes(range(256)) * 64)


def reset_in_request(connection, stream):
    read_head(stream)
    stream.read1(10_000)
    reset(connection)


def reset_after_request(connection, stream):
    read_request(stream)
    reset(connection)


def reset_in_answer(connection, stream):
    read_request(stream)
    connection.sendall(LENGTH_100 + b"bp-")
    reset(connection)


OTHERS = {
    function.__name__.replace("_", "-"): function
    for function in (deaf, mail_server, unasked_continue, echo, grateful_echo, changed, noise_below, reset_in_request,
                     reset_after_request, reset_in_answer)
}
OTHERS["silent"] = lambda connection, stream: wait_for_end(connection)
OTHERS["close-at-once"] = lambda connection, stream: None
OTHERS["reset-at-once"] = lambda connection, stream: reset(connection)
NAMES = {*CLOSING, *STALLING, *ENDLESS, *CUT, *SLOW, *OTHERS}


def play(name, connection, stream):
    if name in OTHERS:
        return OTHERS[name](connection, stream)
    read_request(stream)
    if name in ENDLESS:
        beginning, piece = ENDLESS[name]
        connection.sendall(beginning)
        for number in itertools.count():
            connection.sendall(piece(number))
    elif name in CUT:
        connection.sendall(CUT[name][:next(connections)])
    elif name in SLOW:
        for byte in SLOW[name]:
            connection.sendall(bytes([byte]))
            time.sleep(0.2)
    elif name in STALLING:
        connection.sendall(STALLING[name])
        wait_for_end(connection)
    else:
        connection.sendall(CLOSING[name])


def read_head(stream):
    """Reads the request's head; returns its lines."""
    lines = []
    while (line := stream.readline()) not in (b"", b"\r\n"):
        lines.append(line)
    return lines


def read_request(stream):
    """Reads head and body; returns the head's lines."""
    head = read_head(stream)
    lengths = [line.split(b":")[1] for line in head if line[:15].lower() == b"content-length:"]
    left = int(lengths[0]) if lengths else 0
    while left > 0 and (chunk := stream.read(min(left, 1 << 20))):
        left -= len(chunk)
    return head


def wait_for_end(connection):
    """Discards what the client sends until it disconnects."""
    while connection.recv(1 << 16):
        pass


def reset(connection):
    """The end of the connection becomes a RST: SO_LINGER with a time of 0, socket(7)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
