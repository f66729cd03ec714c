# SPDX-License-Identifier: Apache-2.0
"""Reads a request as a server would, with Python's own parsers, and prints what it found as JSON.

usage: parse_request.py FILE

Fails if the head is invalid, Content-Length is wrong, a name occurs twice, or a form has a defect (email.errors).
"""
import email.errors
import email.parser
import email.policy
import gzip
import http.client
import io
import json
import sys


def parts(content_type, body):
    head = b"Content-Type: " + content_type.encode() + b"\r\n\r\n"
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    if not message.is_multipart():
        return None
    found = []
    for part in message.iter_parts():
        assert not message.defects and not part.defects, (message.defects, part.defects)
        field = part["content-disposition"]
        assert field.content_disposition == "form-data", field
        found.append({
            "name": field.params["name"], "filename": field.params.get("filename"),
            "type": part["content-type"] and part.get_content_type(),
            "hex": part.get_payload(decode=True).hex(),
        })
    names = [part["name"] for part in found]
    assert len(set(names)) == len(names), names
    return found


def main():
    with open(sys.argv[1], "rb") as file:
        line, rest = file.read().split(b"\r\n", 1)
    method, target, version = line.decode("ascii").split(" ")
    assert version == "HTTP/1.1", version
    stream = io.BytesIO(rest)
    headers = http.client.parse_headers(stream)
    # Without its body a form has no parts; other errors in the head count.
    bodiless = (email.errors.StartBoundaryNotFoundDefect, email.errors.MultipartInvariantViolationDefect)
    assert all(isinstance(defect, bodiless) for defect in headers.defects), headers.defects
    body = stream.read()
    assert int(headers["Content-Length"]) == len(body), (headers["Content-Length"], len(body))
    if headers["Content-Encoding"] == "gzip":
        body = gzip.decompress(body)
    content_type = headers["Content-Type"]
    print(json.dumps({
        "method": method, "target": target, "headers": {name.lower(): value for name, value in headers.items()},
        "parts": parts(content_type, body) if content_type.startswith("multipart/") else None, "hex": body.hex(),
    }))


if __name__ == "__main__":
    main()
