# SPDX-License-Identifier: Apache-2.0
"""Debian's daemons with libepitaph-preload.so as Scripts/install builds it, and without: nothing is displaced, each crash has
a report, also of a fault inside and under load."""

from compare_endings import building, daemons, mail, repairing, runtimes, servers, workers

SERVICES = [*daemons.SERVICES, runtimes.PlainPython, runtimes.Node, runtimes.Varnish, runtimes.Postgres,
            runtimes.Jvm, runtimes.Ruby, runtimes.Mariadb, *servers.SERVICES, *mail.SERVICES, *repairing.SERVICES]
# What is no crash for who handles it.
REQUESTS = {workers.Nginx: ("SIGQUIT",)}
# Where a block is decides which signals it blocks.
BY_ADDRESSES = {servers.SandboxedTor}


def services(heap):
    return [kind for kind in SERVICES if not heap or kind not in BY_ADDRESSES]


def ends(kind):
    if issubclass(kind, repairing.Repairing):
        return kind.ends
    loaded = ("SIGSEGV", "SIGABRT") if kind.has_load() else ()
    return [*kind.ends, *REQUESTS.get(kind, ()), "FAULT", *(end + daemons.UNDER_LOAD for end in loaded)]


class Preloaded(daemons.Daemons):
    # Virtual signal actions let none.
    displacing = set()
    # The rate of sampled allocations; empty: none.
    heap = ""

    def variables(self, kind, database):
        # Some are started by another program.
        variables = building.preloading(self.preload, self.heap)
        return [*(f"{name}={value}" for name, value in variables.items()), f"EPITAPH_DATABASE={database}",
                f"EPITAPH_EXECUTABLE={kind.program}"]
