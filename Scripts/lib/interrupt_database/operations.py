# SPDX-License-Identifier: Apache-2.0
"""What is done to a database, and what may be left of it when it is interrupted."""

import collections

from interrupt_database import layout

TARGET = "11111111-2222-4333-8444-555555555555"
WAITING = "22222222-2222-4333-8444-555555555555"
SENT = "33333333-2222-4333-8444-555555555555"
BATCH = [TARGET, "44444444-2222-4333-8444-555555555555", "55555555-2222-4333-8444-555555555555"]

# `before` are the operations that make the target, `words` what is done to it.
Operation = collections.namedtuple("Operation", "name before words")

OPERATIONS = [
    Operation("first-file", None, ["file", TARGET]),
    Operation("file", [], ["file", TARGET]),
    # Two are synced file by file, three all at once.
    Operation("file-two", [], ["file-batch", *BATCH[:2]]),
    Operation("file-three", [], ["file-batch", *BATCH]),
    Operation("fail", [["file", TARGET]], ["fail", TARGET]),
    Operation("send", [["file", TARGET]], ["send", TARGET]),
    Operation("send-three", [["file", uuid] for uuid in BATCH], ["send-batch", *BATCH]),
    Operation("refuse", [["file", TARGET], ["request", TARGET]], ["refuse", TARGET]),
    # The state of its delivery goes with it.
    Operation("forget", [["file", TARGET], ["refuse", TARGET]], ["delete", TARGET]),
    Operation("skip", [["file", TARGET]], ["skip", TARGET]),
    Operation("request", [["file", TARGET], ["skip", TARGET]], ["request", TARGET]),
    Operation("delete", [["file", TARGET], ["skip", TARGET]], ["delete", TARGET]),
    # The two others are what can be spared less: one waits, one is newer.
    Operation("prune", [["file", TARGET], ["skip", TARGET], ["request", WAITING]], ["prune", "2"]),
    # Its metadata holds BROKEN.
    Operation("mend", [["file", TARGET]], ["fail", TARGET]),
    Operation("consent", [], ["consent"]),
]
BROKEN = b"nonsense"
SENDING = ("send", "send-three")


class Expectation:
    """The database before and after an operation that nothing interrupted."""

    def __init__(self, operation, before, after):
        self.operation = operation
        self.before, _ = layout.reports(before)
        self.after, wrong = layout.reports(after)
        assert not wrong, wrong
        self.settings_before = layout.settings(before)
        self.settings_after = layout.settings(after)
        assert (self.before, self.settings_before) != (self.after, self.settings_after), operation.name
        self.victims = [word for word in operation.words if word in BATCH]
        if operation.name == "prune":
            self.victims = list(set(self.before) - set(self.after))

    def allowed(self, victim):
        """What may be recorded of a report the operation is about: None for no report."""
        before, after = self.before.get(victim), self.after.get(victim)
        allowed = [before, after]
        if self.operation.name in SENDING:
            # The attempt is counted before anything is sent.
            counted = before._replace(attempts=before.attempts + 1)
            allowed.append(counted)
            # The success is known where the report could not be filed: it is not sent again.
            allowed.append(counted._replace(uploaded=True))
            accepted = (("accepted_as", f"server-{victim}"), ("version", "1"))
            allowed.append(counted._replace(delivery=accepted))
            allowed.append(after._replace(delivery=accepted))
        if self.operation.name == "refuse":
            counted = before._replace(attempts=before.attempts + 1)
            allowed += [counted, counted._replace(delivery=after.delivery)]
        if self.operation.name == "mend":
            # Mended, and the attempt not counted yet.
            allowed.append(after._replace(attempts=after.attempts - 1))
        return allowed

    def problems(self, tree, is_done):
        """What is wrong with a database that the operation was done to, or begun."""
        found, wrong = layout.reports(tree)
        wrong = [problem for problem in wrong if is_done or not self.is_to_be_mended(problem)]
        wrong += self.problems_of_broken(tree)
        for uuid, report in self.before.items():
            if uuid not in self.victims and found.get(uuid) != report:
                wrong.append(f"another report, {uuid}, is {found.get(uuid)}")
        for uuid in set(found) - set(self.before) - set(self.victims):
            wrong.append(f"{uuid} came from nowhere")
        for victim in self.victims:
            wrong += self.problems_of_victim(victim, found.get(victim), is_done)
        wrong += self.problems_of_settings(layout.settings(tree), is_done)
        return wrong

    def is_to_be_mended(self, problem):
        return self.operation.name == "mend" and problem == f"pending/{TARGET}.dmp has no whole metadata"

    def problems_of_broken(self, tree):
        """What is broken is kept, wherever that is."""
        is_kept = self.operation.name != "mend" or BROKEN in tree.values()
        return [] if is_kept else ["the broken metadata is gone"]

    def problems_of_retry(self, tree):
        """What is wrong after the operation was done once more: an attempt may be counted twice."""
        found, wrong = layout.reports(tree)
        wrong += self.problems_of_broken(tree)
        for uuid in set(self.after) | set(found):
            expected, report = self.neutral(self.after.get(uuid)), self.neutral(found.get(uuid))
            if expected is not None and report is not None and self.operation.name in (*SENDING, "fail", "refuse", "mend"):
                if uuid in self.victims and expected.attempts <= report.attempts <= expected.attempts + 1:
                    report = report._replace(attempts=expected.attempts)
            if expected and report and self.operation.name in SENDING and report.server_id == "":
                # The one bit that a full disk has room for says nothing of the server's name.
                report = report._replace(server_id=expected.server_id)
            if report != expected:
                wrong.append(f"done again, {uuid} is {report}, not {expected}")
        return wrong + self.problems_of_settings(layout.settings(tree), is_done=True)

    def problems_of_victim(self, victim, report, is_done):
        allowed = [self.after.get(victim)] if is_done else self.allowed(victim)
        if self.neutral(report) not in [self.neutral(other) for other in allowed]:
            return [f"{victim} is {report}, not {allowed[-1]}"]
        return []

    def neutral(self, report):
        """Without the time of filing where that is what the operation sets."""
        if report is not None and self.operation.name in ("file", "first-file", "file-two", "file-three", "mend"):
            return report._replace(created=0)
        return report

    def problems_of_settings(self, settings, is_done):
        before, after = self.settings_before, self.settings_after
        if settings == "broken":
            return ["the settings are broken"]
        if before is None:
            # Whoever makes them first chooses the id.
            return []
        is_known = settings is not None and settings[0] == before[0]
        if not is_known or settings[1] not in ((after[1],) if is_done else (before[1], after[1])):
            return [f"the settings are {settings}, not {after}"]
        return []
