# SPDX-License-Identifier: Apache-2.0
"""Does in the model of a file system what a trace says a program did to a real one."""

import pathlib
import re

from interrupt_database import interruptions, power

CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|\?)")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


class Replay:
    """Follows the lines of a trace, made with strace -xx, below one directory."""

    def __init__(self, database, tree):
        self.root = pathlib.PurePath(database)
        self.model = power.Model(tree)
        # What each descriptor was opened as, and the file, which it follows when that is renamed.
        self.descriptors = {}
        self.files = {}
        self.began = False
        self.is_done = False

    def follow(self, line):
        """Returns whether the line changed what a power failure may leave."""
        match = CALL.match(line)
        if not match or match[3] == "?" or int(match[3]) < 0:
            self.began = self.began or (match is not None and match[1] == "access" and interruptions.MARK in self.texts(match[2]))
            return False
        if not self.began:
            return False
        handler = getattr(self, "on_" + match[1], None)
        return handler is not None and handler(match[2], int(match[3])) is not False

    @staticmethod
    def texts(arguments):
        return [bytes.fromhex(text.replace("\\x", "")).decode("latin1") for text in STRING.findall(arguments)]

    def path(self, directory, name):
        """The path below the database, '.' for itself; None for one elsewhere."""
        base = "/" if directory == "AT_FDCWD" else self.descriptors.get(int(directory))
        if base is None:
            return None
        full = pathlib.PurePath(self.root if base == "." else self.root / base, name) if base != "/" else \
            pathlib.PurePath(name)
        if name == "..":
            return ".." if base == "." else None
        if full == self.root:
            return "."
        return str(full.relative_to(self.root)) if full.is_relative_to(self.root) else None

    def on_openat(self, arguments, descriptor):
        directory, name = arguments.split(",", 1)[0], self.texts(arguments)[0]
        path = self.path(directory, name)
        is_made = path is not None and "O_CREAT" in arguments and self.model.now.get(path) is None
        if is_made:
            self.model.change({path: power.File()})
        self.descriptors[descriptor] = path
        self.files[descriptor] = self.model.now.get(path)
        return is_made

    def on_mkdirat(self, arguments, _):
        path = self.path(arguments.split(",", 1)[0], self.texts(arguments)[0])
        self.model.change({path: "directory"})

    def on_mkdir(self, arguments, _):
        return self.on_mkdirat("AT_FDCWD, " + arguments, 0)

    def on_renameat(self, arguments, _):
        words = arguments.split(", ")
        names = self.texts(arguments)
        source, target = self.path(words[0], names[0]), self.path(words[2], names[1])
        self.model.change({source: None, target: self.model.now[source]})

    def on_linkat(self, arguments, _):
        words = arguments.split(", ")
        names = self.texts(arguments)
        self.model.change({self.path(words[2], names[1]): self.model.now[self.path(words[0], names[0])]})

    def on_unlinkat(self, arguments, _):
        self.model.change({self.path(arguments.split(",", 1)[0], self.texts(arguments)[0]): None})

    def file(self, arguments):
        entry = self.files.get(int(arguments.split(",", 1)[0]))
        return entry if isinstance(entry, power.File) else None

    def on_pwrite64(self, arguments, count):
        file = self.file(arguments)
        if file is None:
            return False
        offset = int(arguments.rsplit(", ", 1)[1])
        written = self.texts(arguments)[0].encode("latin1")[:count]
        file.now = file.now[:offset].ljust(offset, b"\0") + written + file.now[offset + count:]
        return True

    def on_write(self, arguments, count):
        if arguments.startswith("1,"):
            self.is_done = self.is_done or self.texts(arguments)[0].startswith("done")
            return True
        file = self.file(arguments)
        if file is None:
            return False
        file.now += self.texts(arguments)[0].encode("latin1")[:count]
        return True

    def on_ftruncate(self, arguments, _):
        file = self.file(arguments)
        if file is None:
            return False
        size = int(arguments.rsplit(", ", 1)[1])
        file.now = file.now[:size].ljust(size, b"\0")
        return True

    def on_fsync(self, arguments, _):
        file, path = self.file(arguments), self.descriptors.get(int(arguments))
        if file is not None:
            file.safe = file.now
        elif path is not None:
            self.model.sync(path)
        return True

    def on_syncfs(self, _, __):
        self.model.sync_all()
        return True
