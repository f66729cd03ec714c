# SPDX-License-Identifier: Apache-2.0
"""An object store on 127.0.0.1 with one bucket, `crashes`, which checks every signature by itself.

usage: bucket.py DIRECTORY [NAME=VALUE...]

    key=ID:SECRET     whose signatures are good; test:secret unless given
    token=TEXT        a session token that each request must bring
    region=NAME       which region a signature must name; us-east-1 unless given
    ahead=SECONDS     how far its clock is ahead of this machine's
    conditions=no     If-None-Match is not understood, as by OpenStack Swift 2.30
    drip=SECONDS      how long each byte of an object takes
    page=COUNT        how many objects a part of a list has; 1000 unless given
    answer=STATUS:CODE:COUNT  what the first COUNT puts are answered with

Objects are files DIRECTORY/objects/KEY, with quoted names; DIRECTORY/requests has a line for each request: method, path,
status. Writes its port to DIRECTORY/port once it listens. Ends by itself after five minutes.
"""
import datetime
import email.utils
import hashlib
import hmac
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse
import xml.sax.saxutils

import posted

DIRECTORY = sys.argv[1]
OPTIONS = dict(argument.split("=", 1) for argument in sys.argv[2:])
KEY_ID, SECRET = OPTIONS.get("key", "test:secret").split(":", 1)
REGION = OPTIONS.get("region", "us-east-1")
OBJECTS = os.path.join(DIRECTORY, "objects")
LOCK = threading.Lock()
STATUS, CODE, COUNT = OPTIONS.get("answer", "0:None:0").split(":")
LEFT = [int(COUNT)]


class Refusal(Exception):
    def __init__(self, status, code, message="no", more=""):
        self.status, self.code, self.message, self.more = status, code, message, more


def now():
    return time.time() + float(OPTIONS.get("ahead", "0"))


def authenticated(method, target, headers, body):
    """Raises unless the request has a good signature; written from Amazon's description of version 4."""
    text = headers.get("Authorization", "")
    if not text.startswith("AWS4-HMAC-SHA256 "):
        raise Refusal(403, "AccessDenied")
    fields = dict(part.strip().split("=", 1) for part in text.split(" ", 1)[1].split(","))
    key_id, date, region, service, ending = fields["Credential"].split("/")
    stamp = headers["x-amz-date"]
    moment = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    if key_id != KEY_ID:
        raise Refusal(403, "InvalidAccessKeyId", "The key you gave is not known")
    if abs(moment.timestamp() - now()) > 900:
        raise Refusal(403, "RequestTimeTooSkewed", "The difference between the request time and now is too large")
    if region != REGION:
        raise Refusal(400, "AuthorizationHeaderMalformed", f"expecting '{REGION}'", f"<Region>{REGION}</Region>")
    if OPTIONS.get("token") != headers.get("x-amz-security-token"):
        raise Refusal(400, "InvalidToken")
    digest = headers["x-amz-content-sha256"]
    path, _, query = target.partition("?")
    pairs = sorted(tuple((part + "=").split("=")[:2]) for part in query.split("&") if part)
    names = fields["SignedHeaders"].split(";")
    assert names == sorted(names) and "host" in names and "x-amz-date" in names
    for name in headers:
        assert not name.lower().startswith("x-amz-") or name.lower() in names, name
    canonical = "\n".join([
        method, path, "&".join(f"{name}={value}" for name, value in pairs),
        *(f"{name}:{' '.join(headers[name].split())}" for name in names), "", ";".join(names), digest])
    scope = f"{date}/{region}/{service}/{ending}"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + SECRET).encode()
    for part in [*scope.split("/"), to_sign]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    if key.hex() != fields["Signature"]:
        raise Refusal(403, "SignatureDoesNotMatch", "The signature does not match", f"<StringToSign>{stamp}</StringToSign>")
    if hashlib.sha256(body).hexdigest() != digest:
        raise Refusal(400, "XAmzContentSHA256Mismatch")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return email.utils.formatdate(now(), usegmt=True)

    def handle_any(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        try:
            self.answer(*self.perform(body))
        except Refusal as refusal:
            words = (f"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{refusal.code}</Code>"
                     f"<Message>{refusal.message}</Message>{refusal.more}</Error>")
            self.answer(refusal.status, words.encode(), {"Content-Type": "application/xml"})

    def answer(self, status, body, headers):
        with LOCK, open(os.path.join(DIRECTORY, "requests"), "a", encoding="utf-8") as record:
            record.write(f"{self.command} {self.path} {status}\n")
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.send_body(body)

    def send_body(self, body):
        if "drip" not in OPTIONS:
            self.wfile.write(body)
            return
        for byte in body:
            time.sleep(float(OPTIONS["drip"]))
            self.wfile.write(bytes([byte]))

    def perform(self, body):
        authenticated(self.command, self.path, self.headers, body)
        path, _, query = self.path.partition("?")
        _, bucket, *key = path.split("/", 2)
        if bucket != "crashes":
            raise Refusal(404, "NoSuchBucket")
        key = urllib.parse.unquote(key[0]) if key else ""
        if not key:
            return self.list(dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
        return self.put(key, body) if self.command == "PUT" else self.get(key)

    def put(self, key, body):
        with LOCK:
            LEFT[0] -= 1
            if LEFT[0] >= 0:
                raise Refusal(int(STATUS), CODE)
            if "If-None-Match" in self.headers:
                if OPTIONS.get("conditions") == "no":
                    raise Refusal(501, "NotImplemented")
                if os.path.exists(file_of(key)):
                    raise Refusal(412, "PreconditionFailed")
            with open(file_of(key), "wb") as file:
                file.write(body)
            with open(file_of(key) + ".headers", "w", encoding="utf-8") as file:
                json.dump({name: self.headers[name] for name in ("Content-Type", "Content-Encoding")
                           if name in self.headers}, file)
        return 200, b"", {"ETag": '"%s"' % hashlib.md5(body).hexdigest()}

    def get(self, key):
        if not os.path.exists(file_of(key)):
            raise Refusal(404, "NoSuchKey")
        with open(file_of(key), "rb") as file:
            body = file.read()
        with open(file_of(key) + ".headers", encoding="utf-8") as file:
            headers = json.load(file)
        if self.command == "HEAD":
            headers["Content-Length"] = str(len(body))
        headers["Last-Modified"] = email.utils.formatdate(os.path.getmtime(file_of(key)), usegmt=True)
        return 200, body, {**headers, "ETag": '"%s"' % hashlib.md5(body).hexdigest()}

    def list(self, parameters):
        prefix, after = parameters.get("prefix", ""), parameters.get("start-after", "")
        after = parameters.get("continuation-token", after)
        names = sorted(urllib.parse.unquote(name) for name in os.listdir(OBJECTS) if not name.endswith(".headers"))
        names = [name for name in names if name.startswith(prefix) and name > after]
        count = int(OPTIONS.get("page", "1000"))
        text = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        text += "<EncodingType>url</EncodingType><IsTruncated>%s</IsTruncated>" % str(len(names) > count).lower()
        for name in names[:count]:
            quoted = xml.sax.saxutils.escape(urllib.parse.quote_plus(name, safe="/"))
            text += f"<Contents><Key>{quoted}</Key><Size>{os.path.getsize(file_of(name))}</Size></Contents>"
        if len(names) > count:
            text += f"<NextContinuationToken>{xml.sax.saxutils.escape(names[count - 1])}</NextContinuationToken>"
        return 200, (text + "</ListBucketResult>").encode(), {"Content-Type": "application/xml"}

    do_GET = do_PUT = do_HEAD = handle_any


def file_of(key):
    return os.path.join(OBJECTS, urllib.parse.quote(key, safe=""))


os.mkdir(OBJECTS)
posted.serve(Handler, DIRECTORY, seconds=300)
