# SPDX-License-Identifier: Apache-2.0
"""Databases to break, and what is wrong with them afterwards."""

import collections
import pathlib
import random
import shutil
import sys
import tempfile

from interrupt_database import interruptions, layout, operations, replay

TEN_DAYS_S = 10 * 86_400
MOST_TREES = 4_000
# What an operation answers when an interrupted one had done it before.
ALREADY = ("there is a report", "has been uploaded already", "there is no report")

Outcome = collections.namedtuple("Outcome", "kind label hit wrong")


class Lab:
    def __init__(self, victim, work):
        self.victim = victim
        self.work = pathlib.Path(work)

    def directory(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.work))

    def tool(self, database, words, ahead_s=0):
        return interruptions.perform([*self.victim, str(database), *words], {"EPITAPH_LAB_AHEAD": str(ahead_s)})

    def prepare(self, operation):
        """Makes the database before the operation, None for none at all, and what to expect of it."""
        template = self.directory() / "db"
        before = None
        if operation.before is not None:
            for words in [["consent"], ["file", operations.WAITING], ["file", operations.SENT],
                          ["send", operations.SENT], *operation.before]:
                self.must(template, words)
            if operation.name == "consent":
                self.flip_consent(template)
            if operation.name == "mend":
                (template / f"pending/{operations.TARGET}.meta").write_bytes(operations.BROKEN)
            before = layout.read_tree(template)
        done = self.directory() / "db"
        if before is not None:
            layout.write_tree(before, done)
        self.must(done, operation.words)
        return before, operations.Expectation(operation, before or {}, layout.read_tree(done))

    def must(self, database, words):
        ending, _, errors = self.tool(database, words)
        if ending != 0:
            sys.exit(f"interrupt-database: {' '.join(words)} ended with {ending}: {errors}")

    @staticmethod
    def flip_consent(template):
        file = template / "settings.dat"
        contents = bytearray(file.read_bytes())
        contents[8] = 0
        file.write_bytes(contents)

    def fresh(self, before):
        database = self.directory() / "db"
        if before is not None:
            layout.write_tree(before, database)
        return database

    def trace(self, operation, before, form=()):
        """Runs the operation under strace; returns the database it was done to and the trace."""
        database = self.fresh(before)
        trace = database.parent / "trace"
        command = interruptions.strace(self.victim, trace, database, operation.words, extra=form)
        ending, _, errors = interruptions.perform(command)
        if ending != 0:
            sys.exit(f"interrupt-database: the reference run of {operation.name} ended with {ending}: {errors}")
        return database, trace

    def later(self, operation, expectation, database):
        """Does it again, and cleans up; returns what is wrong."""
        ending, _, errors = self.tool(database, operation.words, layout.GRACE_S)
        if ending != 0 and not any(words in errors for words in ALREADY):
            return [f"done again it ends with {ending}: {errors.strip()}"]
        wrong = expectation.problems_of_retry(layout.read_tree(database))
        keep = "2" if operation.name == "prune" else "0"
        ending, _, errors = self.tool(database, ["prune", keep], TEN_DAYS_S)
        if ending != 0:
            wrong.append(f"prune ends with {ending}: {errors.strip()}")
        tree = layout.read_tree(database)
        wrong += expectation.problems_of_retry(tree)
        wrong += [f"{path} stays for ever" for path in layout.leftovers(tree)]
        return wrong

    def interrupt(self, operation, before, expectation, run):
        database = self.fresh(before)
        trace = database.parent / "trace"
        command = interruptions.strace(self.victim, trace, database, operation.words, run.rule)
        ending, output, errors = interruptions.perform(command)
        is_done = output.startswith("done") or "\ndone" in output
        tree = layout.read_tree(database) if database.exists() else {}
        wrong = expectation.problems(tree, is_done)
        wrong += self.problems_of_ending(run, ending, is_done, errors)
        wrong += self.later(operation, expectation, database)
        hit = ending == -9 if run.kind == "kill" else "(INJECTED)" in trace.read_text()
        shutil.rmtree(database.parent)
        return Outcome(run.kind, f"{operation.name:10} {run.point.place:4} {run.rule}", hit, wrong)

    @staticmethod
    def problems_of_ending(run, ending, is_done, errors):
        if ending is None:
            return ["it hangs"]
        if run.kind == "kill":
            return [] if ending in (-9, 0) else [f"it ended with {ending}"]
        if run.error in interruptions.PASSING and not is_done:
            return [f"a signal made it fail: {errors.strip()}"]
        if ending not in (0, 1):
            return [f"it ended with {ending}: {errors.strip()}"]
        # Sentences are written as well.
        return [] if is_done or errors or run.point.call == "write" else ["it failed without a sentence"]

    def lose_power(self, operation, before, expectation):
        """Returns an outcome for each different tree that may be left."""
        database, trace = self.trace(operation, before, ["-xx", "-s", "100000"])
        player = replay.Replay(database, before)
        seen, trees = set(), []
        for number, line in enumerate(trace.read_text().splitlines()):
            if not player.follow(line):
                continue
            for tree in player.model.trees():
                key = (player.is_done, frozenset(tree.items()))
                if key not in seen:
                    seen.add(key)
                    trees.append((number, tree, player.is_done))
        whole = layout.read_tree(database)
        if not any(tree == whole for _, tree, is_done in trees if is_done):
            sys.exit(f"interrupt-database: the model of {operation.name} does not end where the real one does")
        shutil.rmtree(database.parent)
        # A batch leaves a hundred thousand: so many are drawn, the same each time.
        return trees if len(trees) <= MOST_TREES else random.Random(1).sample(trees, MOST_TREES)

    def look(self, operation, expectation, number, tree, is_done):
        database = self.directory() / "db"
        layout.write_tree(tree, database)
        wrong = expectation.problems(tree, is_done) + self.later(operation, expectation, database)
        shutil.rmtree(database.parent)
        return Outcome("power", f"{operation.name:10} line {number} of the trace", True, wrong)
