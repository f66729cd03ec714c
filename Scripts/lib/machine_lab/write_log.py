# SPDX-License-Identifier: Apache-2.0
"""What a machine wrote to a disk, as QEMU's blklogwrites notes it (the kernel's
Documentation/admin-guide/device-mapper/log-writes.rst), and what the disk may have if the power fails at a moment: all
that was flushed, and of the rest, which was in the disk's own memory, any part."""

import collections
import os
import struct
import subprocess

SECTOR = 512
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8

Write = collections.namedtuple("Write", "position offset bytes flags")


def entries(path):
    """Each write and each flush, in their order. The last one may be cut, since the machine was."""
    with open(path, "rb") as log:
        magic, version, _, sector = struct.unpack_from("<QQQI", log.read(SECTOR))
        if magic != MAGIC or version != 1 or sector != SECTOR:
            raise ValueError(f"{path} is no log of writes")
        size = os.fstat(log.fileno()).st_size
        while log.tell() + SECTOR <= size:
            start, count, flags, _ = struct.unpack_from("<QQQQ", log.read(SECTOR))
            if (start, count, flags) == (0, 0, 0):
                return
            if flags & (DISCARD | MARK):
                continue
            if log.tell() + count * SECTOR > size:
                return
            yield Write(log.tell(), start * SECTOR, count * SECTOR, flags)
            log.seek(count * SECTOR, os.SEEK_CUR)


def first(path, entries, offset, words):
    """The number of the first write there that begins with these bytes."""
    with open(path, "rb") as log:
        for number, entry in enumerate(entries):
            log.seek(entry.position)
            if entry.offset == offset and log.read(len(words)) == words:
                return number
    raise ValueError(f"{path} has no {words}")


class Disk:
    """What is on the disk while its log is gone through. Writes behind `kept_from` are the lab's own notes, and always
    kept."""

    def __init__(self, log, path, size, kept_from):
        self.log = open(log, "rb")
        self.path = path
        self.kept_from = kept_from
        self.unflushed = []
        with open(path, "wb") as file:
            file.truncate(size)
        self.durable = open(path, "r+b", buffering=0)

    def put(self, file, write, start=0, bytes=None):
        self.log.seek(write.position)
        file.seek(start + write.offset)
        file.write(self.log.read(write.bytes if bytes is None else bytes))

    def go_on(self, write):
        if write.flags & FLUSH:
            for earlier in self.unflushed:
                self.put(self.durable, earlier)
            self.unflushed = []
        if write.flags & FUA or write.offset >= self.kept_from:
            self.put(self.durable, write)
        if write.bytes:
            # In its place among the others, too, because it may be newer than one of them.
            self.unflushed.append(write)

    def cut(self, path, start, lot):
        """Leaves in `path` from `start` on what a power cut now may leave; the number of writes that are lost."""
        subprocess.run(["dd", f"if={self.path}", f"of={path}", "conv=sparse,notrunc", "bs=64k",
                        f"seek={start // 65536}", "status=none"], check=True)
        lost = 0
        # Nothing lost is what killing a machine leaves; the more that is lost, the more was the disk's promise alone.
        keeping = lot.choice((0.0, 0.5, 0.9, 1.0))
        with open(path, "r+b", buffering=0) as file:
            for write in self.unflushed:
                if write.flags & FUA or write.offset >= self.kept_from or lot.random() < keeping:
                    self.put(file, write, start)
                    continue
                lost += 1
                # One that the disk was at: a sector is written or not.
                if lot.random() < 0.1:
                    self.put(file, write, start, lot.randrange(write.bytes // SECTOR) * SECTOR)
        return lost
