# SPDX-License-Identifier: Apache-2.0
"""Prints as JSON what PyPI's `minidump` package finds in a minidump.

usage: list_minidump.py FILE
"""
import json
import sys

from minidump.minidumpfile import MinidumpFile


def main(path):
    dump = MinidumpFile.parse(path)
    reader = dump.get_reader()
    print(json.dumps({
        "processor": dump.sysinfo.ProcessorArchitecture.name,
        "process_id": dump.misc_info.ProcessId if dump.misc_info else None,
        "threads": [
            {"id": t.ThreadId, "stack": t.Stack.StartOfMemoryRange,
             "stack_size": t.Stack.MemoryLocation.DataSize}
            for t in dump.threads.threads
        ],
        "modules": [
            {"name": m.name, "address": m.baseaddress, "size": m.size} for m in dump.modules.modules
        ],
        "memory": [
            {"address": s.start_virtual_address, "size": s.size,
             "bytes": reader.read(s.start_virtual_address, s.size).hex()}
            for s in dump.memory_segments.memory_segments
        ],
        "mappings": [
            {"address": i.BaseAddress, "size": i.RegionSize} for i in dump.memory_info.infos
        ] if dump.memory_info else [],
    }))


main(sys.argv[1])
