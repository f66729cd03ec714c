# SPDX-License-Identifier: Apache-2.0
"""Gives the threads of a minidump their names in lldb.

lldb (seen in 14 and 19) does not read the ThreadNames stream. Its mechanism for kernels with threads of their own, an
"operating system plug-in", can name threads while registers and stacks still come from the minidump:
https://lldb.llvm.org/use/tutorials/ . Scripts/lldb/open starts lldb with it.
"""

import os
import struct

THREAD_LIST = 3
THREAD_NAMES = 24
THREAD_RECORD_SIZE = 48
THREAD_NAME_RECORD_SIZE = 12


def streams(data):
    """The bytes' directory: type -> offset."""
    count, directory = struct.unpack_from("<II", data, 8)
    rows = (struct.unpack_from("<III", data, directory + 12 * i) for i in range(count))
    return {kind: offset for kind, _, offset in rows}


def string(data, offset):
    size = struct.unpack_from("<I", data, offset)[0]
    return data[offset + 4:offset + 4 + size].decode("utf-16-le", "replace")


def thread_names(data):
    offset = streams(data).get(THREAD_NAMES)
    if offset is None:
        return {}
    count = struct.unpack_from("<I", data, offset)[0]
    rows = (struct.unpack_from("<IQ", data, offset + 4 + THREAD_NAME_RECORD_SIZE * i)
            for i in range(count))
    return {thread: string(data, place) for thread, place in rows}


def thread_ids(data):
    offset = streams(data)[THREAD_LIST]
    count = struct.unpack_from("<I", data, offset)[0]
    return [struct.unpack_from("<I", data, offset + 4 + THREAD_RECORD_SIZE * i)[0]
            for i in range(count)]


class OperatingSystemPlugIn:
    """The class lldb looks for. lldb calls it while it makes its own thread list, so nothing here may request that list."""

    def __init__(self, process):
        with open(os.environ["EPITAPH_MINIDUMP"], "rb") as file:
            data = file.read()
        names = thread_names(data)
        # `core` is the place of the thread in the minidump's list, where lldb takes the registers from.
        self.threads = [
            {"tid": thread, "name": names.get(thread, ""), "queue": "", "state": "stopped",
             "stop_reason": "none", "core": place}
            for place, thread in enumerate(thread_ids(data))
        ]

    def get_thread_info(self):
        return self.threads

    def create_thread(self, tid, context):
        return None

    def get_register_info(self):
        return {"sets": [], "registers": []}

    def get_register_data(self, tid):
        return None
