# SPDX-License-Identifier: Apache-2.0
"""What a power failure may leave of the calls an operation has made: a model of a file system that keeps nothing it
was not told to keep.

- A name that was made, renamed or removed is safe once fsync(2) of a directory it concerns has returned. Before that
  any of them may be kept and any lost, except that none is kept without one before it for the same name. A renaming is
  kept or lost as a whole, as the file systems with a journal do it.
- Bytes are safe once fsync(2) of their file has returned. Before that a file that grew has its old contents, zeros or
  the new contents; bytes overwritten in place are the old or the new ones: settings.dat lies within one sector.
- syncfs(2) is the same for every name and every file.
- A directory that was made keeps what was put into it, if its own name is kept.
"""

import itertools
import pathlib
import random

# Of more combinations than this the extremes are looked at and so many drawn with the same seed each time: what a batch
# writes are many names and files at once.
MOST_COMBINATIONS = 1024
DRAWN = 40


def combinations(choices):
    """One of each of `choices`, in every way, or in enough of them."""
    count = 1
    for choice in choices:
        count *= len(choice)
    if count <= MOST_COMBINATIONS:
        yield from itertools.product(*choices)
        return
    yield tuple(choice[0] for choice in choices)
    yield tuple(choice[-1] for choice in choices)
    # Each kept alone, and each lost alone.
    for number in range(len(choices)):
        yield tuple(choice[0 if other == number else -1] for other, choice in enumerate(choices))
        yield tuple(choice[-1 if other == number else 0] for other, choice in enumerate(choices))
    drawing = random.Random(1)
    for _ in range(DRAWN):
        yield tuple(drawing.choice(choice) for choice in choices)


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

    def sync_all(self):
        """syncfs(2)."""
        for entry in [*self.now.values(), *self.safe.values()]:
            if isinstance(entry, File):
                entry.safe = entry.now
        self.safe = dict(self.now)
        self.pending = []

    def kept_names(self):
        """Each way the names may be left."""
        for choice in combinations([(True, False)] * len(self.pending)):
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
            for contents in combinations([file.variants() for _, file in files]):
                tree = {path: None for path, entry in entries.items() if not isinstance(entry, File) and path != "."}
                tree.update({path: content for (path, _), content in zip(files, contents)})
                yield tree

    @staticmethod
    def is_kept(path, names):
        parents = [str(parent) for parent in pathlib.PurePath(path).parents]
        return all(names.get(parent) is not None for parent in parents)
