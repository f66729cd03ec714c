# SPDX-License-Identifier: Apache-2.0
"""The tables and questions of docs/fleet.md and fleet.sql, and two engines in which they are made as the page
says."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A statement of the page, below the comment that says what it is.
STATEMENT = re.compile(r"<!-- (\w+): ([\w-]+)(?: for (current|debian))? -->\n```sql\n(.*?)```", re.S)
# A statement of the file beside it, likewise; up to the next one.
BESIDE = re.compile(r"^-- (\w+): ([\w-]+)(?: for (current|debian))?\n(.*?;)$(?=\n\n--|\n\Z)", re.S | re.M)


class Page:
    """The statements of docs/fleet.md and docs/fleet.sql."""

    def __init__(self):
        page, beside = ((ROOT / "docs" / name).read_text() for name in ("fleet.md", "fleet.sql"))
        found = STATEMENT.findall(page) + BESIDE.findall(beside)
        self.blocks = {(kind, name, engine): text for kind, name, engine, text in found}
        shown = page.count("```sql") + len(re.findall(r"^-- \w+: ", beside, re.M))
        if len(self.blocks) != shown:
            sys.exit(f"docs/fleet.md: {shown} statements are shown, of which {len(self.blocks)} are tested")

    def statements(self, kind, name):
        return [text.strip() for text in self.blocks[kind, name, ""].split(";") if text.strip()]

    def questions(self, engine):
        return {name: text.strip().rstrip(";") for (kind, name, only), text in self.blocks.items()
                if kind == "question" and only in ("", engine)}


def insertion(annotations):
    """Names the columns, as `explain --insert` does."""
    return ("INSERT INTO crashes (id, time, microseconds, host, program, version, build_id, signature, signature_id, "
            f"kind, signal, function, frames, {annotations}, arrived) FORMAT JSONEachRow")


class Debian:
    """Two shards, each question asked of the first."""

    name, has_map = "debian", False

    def __init__(self, page, servers):
        self.page, self.servers, self.front = page, servers, servers[0]

    def make_tables(self):
        for server in self.servers:
            tables = self.page.statements("table", "debian") + self.page.statements("shards", "both")
            counts, view = self.page.statements("counts", "both")
            view = view.replace("TO crash_counts AS", "TO crash_counts_shard AS").replace(
                "FROM crashes", "FROM crashes_shard")
            for statement in [*tables, counts, *self.page.statements("counts", "shards"), view,
                              *self.page.statements("doubtful", "both")]:
                server.ask(statement)
        for statement in self.page.statements("hours", "both"):
            self.front.ask(statement)

    def insert(self, body):
        self.front.ask(insertion("`annotations.name`, `annotations.value`"), data=body, insert_distributed_sync=1)

    def renew_counts(self):
        for server in self.servers:
            for statement in self.page.statements("counts", "again"):
                server.ask(statement.replace("crash_counts", "crash_counts_shard").replace(
                    "FROM crashes", "FROM crashes_shard"))

    def forget(self):
        for server in self.servers:
            for statement in self.page.statements("retention", "both"):
                server.ask(statement.replace("TABLE crashes", "TABLE crashes_shard"))


class Current:
    """One engine of today."""

    name, has_map = "current", True

    def __init__(self, page, server):
        self.page, self.front, self.servers = page, server, [server]

    def make_tables(self):
        for statement in self.page.statements("table", "current"):
            self.front.ask(statement)
            self.check_retention(statement)
        # The synthetic crashes are of fixed days, and have to stay for the questions whenever this runs.
        self.front.ask("ALTER TABLE crashes MODIFY TTL arrived + INTERVAL 30 YEAR")
        for statement in (*self.page.statements("counts", "both"), *self.page.statements("doubtful", "both"),
                          *self.page.statements("hours", "both")):
            self.front.ask(statement)

    def check_retention(self, statement):
        """A row is gone after 90 days, and one of today is not."""
        self.front.ask(statement.replace("TABLE crashes", "TABLE forgotten"))
        self.front.ask("INSERT INTO forgotten (id, time, arrived) VALUES "
                       "(generateUUIDv4(), now(), now() - INTERVAL 100 DAY), (generateUUIDv4(), 0, now())")
        self.front.ask("OPTIMIZE TABLE forgotten FINAL")
        left = self.front.ask("SELECT count() FROM forgotten").strip()
        if left != "1":
            sys.exit(f"docs/fleet.md: {left} rows instead of 1 are left after the time they are kept")
        self.front.ask("DROP TABLE forgotten")

    def insert(self, body):
        self.front.ask(insertion("annotations"), data=body)

    def renew_counts(self):
        for statement in self.page.statements("counts", "again"):
            self.front.ask(statement)

    def forget(self):
        for statement in self.page.statements("retention", "both"):
            self.front.ask(statement)
