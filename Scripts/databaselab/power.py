# SPDX-License-Identifier: Apache-2.0
"""What a power failure may leave of the calls an operation has made: a model of a file system that keeps nothing it
was not told to keep.

- A name that was made, renamed or removed is safe once fsync(2) of a directory it concerns has returned. Before that
  any of them may be kept and any lost, except that none is kept without one before it for the same name. A renaming is
  kept or lost as a whole, as the file systems with a journal do it.
- Bytes are safe once fsync(2) of their file has returned. Before that a file that grew has its old contents, zeros or
  the new contents; bytes overwritten in place are the old or the new ones: settings.dat lies within one sector.
- A directory that was made keeps what was put into it, if its own name is kept.
"""

import itertools
import pathlib
import re

CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|\?)")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
MARK = "/epitaph-database-operation"


class Change:
    """Of names: what each name stands for afterwards, None for nothing."""

    def __init__(self, names, directories):
        self.names = names
        self.directories = directories


class File:
    """Contents that are safe, and those that were written since."""

    def __init__(self, contents=b""):
        self.safe = contents
        self.now = contents

    def variants(self):
        if self.safe == self.now:
            return [self.now]
        zeros = bytes(len(self.now))
        return [self.safe, self.now] + ([zeros] if len(self.now) > len(self.safe) else [])


class Model:
    def __init__(self, tree):
        self.safe = {".": "directory"} if tree is not None else {}
        for path, contents in (tree or {}).items():
            self.safe[path] = "directory" if contents is None else File(contents)
        self.now = dict(self.safe)
        self.pending = []

    def change(self, names):
        directories = {".." if name == "." else str(pathlib.PurePath(name).parent) for name in names}
        self.now.update(names)
        self.pending.append(Change(names, directories))

    def sync(self, path):
        """fsync(2) of a directory."""
        kept, names = [], set()
        # What is kept needs what came before for the same name.
        for change in reversed(self.pending):
            if path in change.directories or names & set(change.names):
                kept.append(change)
                names |= set(change.names)
        for change in reversed(kept):
            self.safe.update(change.names)
            self.pending.remove(change)

    def kept_names(self):
        """Each way the names may be left."""
        for choice in itertools.product((True, False), repeat=len(self.pending)):
            lost, names, is_possible = set(), dict(self.safe), True
            for change, is_kept in zip(self.pending, choice):
                if not is_kept:
                    lost |= set(change.names)
                elif lost & set(change.names):
                    is_possible = False
                    break
                else:
                    names.update(change.names)
            if is_possible:
                yield names

    def trees(self):
        """Each tree that may be left, as `layout` has it."""
        for names in self.kept_names():
            entries = {path: entry for path, entry in names.items() if entry is not None and self.is_kept(path, names)}
            files = [(path, entry) for path, entry in entries.items() if isinstance(entry, File)]
            for contents in itertools.product(*[file.variants() for _, file in files]):
                tree = {path: None for path, entry in entries.items() if not isinstance(entry, File) and path != "."}
                tree.update({path: content for (path, _), content in zip(files, contents)})
                yield tree

    @staticmethod
    def is_kept(path, names):
        parents = [str(parent) for parent in pathlib.PurePath(path).parents]
        return all(names.get(parent) is not None for parent in parents)


class Replay:
    """Follows the lines of a trace, made with strace -xx, below one directory."""

    def __init__(self, database, tree):
        self.root = pathlib.PurePath(database)
        self.model = Model(tree)
        # What each descriptor was opened as, and the file, which it follows when that is renamed.
        self.descriptors = {}
        self.files = {}
        self.began = False
        self.is_done = False

    def follow(self, line):
        """Returns whether the line changed what a power failure may leave."""
        match = CALL.match(line)
        if not match or match[3] == "?" or int(match[3]) < 0:
            self.began = self.began or (match is not None and match[1] == "access" and MARK in self.texts(match[2]))
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
            self.model.change({path: File()})
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

    def on_unlinkat(self, arguments, _):
        self.model.change({self.path(arguments.split(",", 1)[0], self.texts(arguments)[0]): None})

    def file(self, arguments):
        entry = self.files.get(int(arguments.split(",", 1)[0]))
        return entry if isinstance(entry, File) else None

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
