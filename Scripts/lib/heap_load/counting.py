# SPDX-License-Identifier: Apache-2.0
"""What a daemon's processes count and take."""

import os
import pathlib
import re
import resource
import struct

from compare_endings import services
from heap_load.tools import run


def tree(pid):
    """A process and all below it."""
    try:
        below = services.children(pid)
    except OSError:
        return [pid]
    return [pid] + [each for child in below for each in tree(child)]


class Counter:
    """What the samplers of a daemon's processes count: read from the record that the reporter finds by its name."""

    # epitaph_heap_sampler: version, the pool's address. epitaph_heap_pool: up to the number of sampled allocations.
    SAMPLER, POOL = struct.Struct("=I4xQ"), struct.Struct("=72xQ")

    def __init__(self, library):
        symbols = run(["nm", "-D", library])
        self.library = str(library)
        self.offset = int(re.search(r"^([0-9a-f]+) . epitaph_heap_sampler_1$", symbols, re.MULTILINE)[1], 16)
        self.first, self.last = {}, {}

    def sampled(self, pid):
        maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
        start = int(re.search(rf"^([0-9a-f]+)-.* {re.escape(self.library)}$", maps, re.MULTILINE)[1], 16)
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            def read(address, layout):
                memory.seek(address)
                return layout.unpack(memory.read(layout.size))
            _, pool = read(start + self.offset, self.SAMPLER)
            return read(pool, self.POOL)[0]

    def look(self, pid):
        for each in tree(pid):
            try:
                self.last[each] = self.sampled(each)
            except (OSError, TypeError, struct.error):
                continue
            self.first.setdefault(each, self.last[each])

    def total(self, first):
        """At least: a child's count begins with its parent's."""
        return self.last.get(first, 0) + sum(
            count - self.first[pid] for pid, count in self.last.items() if pid != first)

    def grew(self):
        return any(count > self.first[pid] for pid, count in self.last.items())


def processor_s(pid):
    """Of a daemon's processes, those that are gone too, and of the tools."""
    used = 0.0
    for each in tree(pid):
        try:
            fields = pathlib.Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        # utime, stime, cutime, cstime, proc_pid_stat(5).
        used += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        used += usage.ru_utime + usage.ru_stime
    return used
