# SPDX-License-Identifier: Apache-2.0
"""A proxy on 127.0.0.1, for HTTP (RFC 9110 9.3.6, RFC 9112 3.2.2) or SOCKS 5 (RFC 1928, RFC 1929).

usage: proxy.py DIRECTORY http|socks5|broken [USER:PASSWORD [CERTIFICATE KEY]]

Writes its port to DIRECTORY/port once it listens, and appends a line to DIRECTORY/log for each request. With
USER:PASSWORD, not empty, it serves only that user. A broken one refuses to connect anywhere. Ends by itself after five
minutes.
"""
import base64
import os
import signal
import socket
import ssl
import struct
import sys
import threading
import urllib.parse


class Proxy:
    def __init__(self, directory, kind, login):
        self.directory = directory
        self.kind = kind
        self.login = login

    def log(self, line):
        with open(os.path.join(self.directory, "log"), "a") as file:
            file.write(line + "\n")

    def serve(self, client):
        try:
            with client:
                server = self.socks(client) if self.kind == "socks5" else self.http(client)
                if server:
                    with server:
                        back = threading.Thread(target=self.copy, args=(server, client), daemon=True)
                        back.start()
                        self.copy(client, server)
                        back.join()
        except (OSError, ssl.SSLError):
            pass

    def http(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(1)
            if not more:
                return None
            head += more
        lines = head.decode().split("\r\n")
        method, target, version = lines[0].split(" ")
        self.log(f"{method} {target.split('?')[0]}")
        given = [line.split(" ")[-1] for line in lines if line.lower().startswith("proxy-authorization:")]
        if self.login and given != [base64.b64encode(self.login.encode()).decode()]:
            client.sendall(b"HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
            return None
        if self.kind == "broken":
            client.sendall(b"HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n")
            return None
        if method == "CONNECT":
            server = socket.create_connection(target.split(":"))
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            return server
        url = urllib.parse.urlsplit(target)
        server = socket.create_connection((url.hostname, url.port))
        lines[0] = f"{method} {url.path} {version}"
        server.sendall("\r\n".join(line for line in lines if not line.lower().startswith("proxy-")).encode())
        return server

    def socks(self, client):
        def take(count):
            data = b""
            while len(data) < count:
                more = client.recv(count - len(data))
                if not more:
                    raise OSError
                data += more
            return data

        methods = take(take(2)[1])
        wanted = 2 if self.login else 0
        if wanted not in methods:
            return client.sendall(b"\x05\xff")
        client.sendall(bytes([5, wanted]))
        if self.login:
            user = take(take(2)[1])
            given = user + b":" + take(take(1)[0])
            client.sendall(b"\x01\x00" if given == self.login.encode() else b"\x01\x01")
        _, _, _, kind = take(4)
        host = socket.inet_ntoa(take(4)) if kind == 1 else take(take(1)[0]).decode()
        port = struct.unpack(">H", take(2))[0]
        self.log(f"SOCKS5 {'address' if kind == 1 else 'name'} {host}:{port}")
        server = socket.create_connection((host, port))
        client.sendall(b"\x05\x00\x00\x01" + bytes(6))
        return server

    @staticmethod
    def copy(source, target):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def main():
    directory, kind, *rest = sys.argv[1:]
    signal.alarm(300)
    listener = socket.create_server(("127.0.0.1", 0))
    context = None
    if rest[1:]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*rest[1:])
    with open(os.path.join(directory, "port.part"), "w") as file:
        file.write(str(listener.getsockname()[1]))
    os.rename(os.path.join(directory, "port.part"), os.path.join(directory, "port"))
    proxy = Proxy(directory, kind, rest[0] if rest else "")
    while True:
        client, _ = listener.accept()
        if context:
            try:
                client = context.wrap_socket(client, server_side=True)
            except (OSError, ssl.SSLError):
                continue
        threading.Thread(target=proxy.serve, args=(client,), daemon=True).start()


if __name__ == "__main__":
    main()
