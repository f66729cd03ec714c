# SPDX-License-Identifier: Apache-2.0
"""A reader of the database layout by docs/database.md, which shares nothing with the Swift one.

A tree is a dictionary of paths below the database: bytes for a file, None for a directory."""

import collections
import json
import os
import pathlib
import re
import struct

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
STATES = ("pending", "completed")
# What the tools of the lab put into their reports.
LOG = "log of "
# So many seconds is everybody's clock ahead who comes after an interruption, for locks without an owner's name.
GRACE_S = 200

Report = collections.namedtuple("Report", "state attempts created uploaded requested server_id attachment delivery")


def minidump(uuid):
    return (uuid + "\n").encode() * 250


def read_tree(root):
    tree = {}
    for directory, names, files in os.walk(root):
        relative = pathlib.Path(directory).relative_to(root)
        for name in names:
            tree[str(relative / name)] = None
        for name in files:
            tree[str(relative / name)] = pathlib.Path(directory, name).read_bytes()
    return tree


def write_tree(tree, root):
    for path, contents in sorted(tree.items()):
        place = pathlib.Path(root, path)
        if contents is None:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.write_bytes(contents)
            place.chmod(0o600)


Metadata = collections.namedtuple("Metadata", "attempts created attributes server_id")


def metadata_fields(contents):
    """The fields of a .meta file, or None when it is broken."""
    if contents is None or len(contents) < 32:
        return None
    version, attempts, _, created, attributes = struct.unpack_from("<iiqqB", contents)
    # Bits 0 and 1, and 7 with the time of the crash.
    if version != 1 or attempts < 0 or attributes & ~0x83:
        return None
    return Metadata(attempts, created, attributes, contents[32:].decode())


def metadata(contents):
    """The same as the tools of the lab write it, None too for one with the time of a crash."""
    fields = metadata_fields(contents)
    if fields is None or fields.attributes > 3:
        return None
    return fields.attempts, fields.created, bool(fields.attributes & 1), bool(fields.attributes & 2), fields.server_id


def reports(tree):
    """Returns the reports by id, and what is wrong with the tree."""
    found, wrong = {}, []
    for path, contents in tree.items():
        directory, _, name = path.partition("/")
        uuid = name[:36]
        if directory not in STATES or not name.endswith(".dmp") or not UUID.fullmatch(uuid):
            continue
        if uuid in found:
            wrong.append(f"{uuid} is in two states")
        if contents != minidump(uuid):
            wrong.append(f"{path} is not whole")
        fields = metadata(tree.get(f"{directory}/{uuid}.meta"))
        if fields is None:
            wrong.append(f"{path} has no whole metadata")
            continue
        attachment = tree.get(f"attachments/{uuid}/log")
        found[uuid] = Report(directory, *fields, attachment, delivery(tree, uuid, wrong))
        if attachment not in (None, (LOG + uuid).encode()):
            wrong.append(f"the attachment of {uuid} is not whole")
    return found, wrong


def delivery(tree, uuid, wrong):
    """What is remembered of a report's delivery, docs/delivery.md; None for nothing."""
    contents = tree.get(f"delivery/{uuid}.json")
    if contents is None:
        return None
    try:
        fields = json.loads(contents)
    except ValueError:
        wrong.append(f"the delivery state of {uuid} is not whole")
        return None
    return tuple(sorted((name, str(value)) for name, value in fields.items()))


def settings(tree):
    """Client id and whether uploads are on; None for no settings."""
    contents = tree.get("settings.dat")
    if not contents:
        return None
    magic, version, options, _, _ = struct.unpack_from("<IIIIq", contents)
    if len(contents) != 40 or magic != 0x43506473 or version != 1:
        return "broken"
    return contents[24:40], bool(options & 1)


def leftovers(tree):
    """Files that belong to no report and would stay for ever."""
    found, _ = reports(tree)
    left = []
    for path, contents in tree.items():
        directory, _, name = path.partition("/")
        if directory == "new" and name:
            left.append(path)
        elif directory in STATES and name:
            uuid = name[:36]
            if uuid not in found or found[uuid].state != directory or not name.endswith((".dmp", ".meta")):
                left.append(path)
        elif directory in ("attachments", "delivery") and name and name[:36] not in found:
            left.append(path)
        elif directory.startswith("settings.dat."):
            left.append(path)
    return left
