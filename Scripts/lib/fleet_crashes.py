# SPDX-License-Identifier: Apache-2.0
"""Crashes of a fleet that does not exist: seeded, so that the same numbers come out every time, and with the truth
beside them, so that an engine's answers can be compared with counts that it had no part in.

Four weeks of six programs on some thousand hosts. Signatures follow a power law; most exist in every release, some
are fixed by one, come with one, or are fixed and come back. A release reaches each host at its own time. Two hosts
are sick: they crash a hundred times as often, in any function. Some reports arrive days late. A few hosts have wrong
clocks: never set, five weeks behind, or two weeks ahead. One signature is gone in the
release before the last, and one is ten times as frequent since the last.
"""

import bisect
import collections
import datetime
import itertools
import json
import random

WEEKS = 4
PROGRAMS = [("exampled", 50), ("gatewayd", 20), ("indexer", 12), ("mailer", 8), ("storaged", 6), ("schedulerd", 4)]
RELEASES = 5
WORDS = """parse handle read write send accept encode decode merge split open close lock wait poll route find insert
remove update load store flush verify sign hash""".split()
THINGS = """Request Response Header Query Session Token Cache Entry Page Index Block Queue Message Record Connection
Route Buffer Stream Field Key""".split()
DEATHS = [("null-dereference", "SIGSEGV"), ("use-after-free", "SIGSEGV"), ("swift-runtime-failure", "SIGILL"),
          ("abort", "SIGABRT"), ("uncaught-exception", "SIGABRT"), ("division-by-zero", "SIGFPE"),
          ("double-free", "SIGABRT")]
# How busy the hours of a day are.
DAY = [3, 2, 2, 2, 2, 3, 4, 6, 9, 12, 14, 15, 14, 14, 15, 14, 13, 12, 11, 10, 9, 7, 5, 4]
SICK = ("web-0013", "web-0042")
# Sick hosts crash as often as this share of all hosts together.
SICK_SHARE = 1 / 20
LATE_SHARE = 0.03
DAY_S = 86_400
# Hosts with wrong clocks, and the error in seconds; a dead clock shows the seconds since its start instead.
WRONG = {"web-0101": None, "web-0102": None, "web-0111": -35 * DAY_S, "web-0112": -35 * DAY_S, "web-0121": 14 * DAY_S}

# Numbers of the signatures that come back with the last release, and that crash so much more often since.
BACK, WORSE, WORSE_FACTOR = 1, 6, 10

Signature = collections.namedtuple("Signature", "id text program kind signal function frames releases weight")
Crash = collections.namedtuple("Crash", "id hour second microseconds host release signature arrived")


def instant(text):
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)


class Fleet:
    """What crashes, and where; `until` is the midnight after the last day."""

    def __init__(self, until, hosts=2000, signatures=400, seed=15):
        self.chance = random.Random(seed)
        self.until = until
        self.since = until - datetime.timedelta(weeks=WEEKS)
        self.hosts = [f"web-{number:04}" for number in range(hosts)]
        # A release goes out on each Tuesday noon, the first before all; a host has it within two days.
        self.released = [self.since - datetime.timedelta(days=30)] + [
            self.since + datetime.timedelta(days=1 + 7 * week, hours=12) for week in range(RELEASES - 1)]
        self.delay = {host: self.chance.randrange(48) for host in self.hosts}
        self.versions = {program: [f"{major}.{minor}.0" for minor in range(RELEASES)]
                         for major, (program, _) in enumerate(PROGRAMS, 1)}
        self.build_ids = {(program, version): f"{self.chance.getrandbits(160):040x}"
                          for program, versions in self.versions.items() for version in versions}
        self.signatures = [self.signature(number, signatures) for number in range(signatures)]
        self.signatures[BACK] = self.signatures[BACK]._replace(
            kind="crash", releases=frozenset(range(RELEASES)) - {RELEASES - 2})
        self.signatures[WORSE] = self.signatures[WORSE]._replace(kind="crash", releases=frozenset(range(RELEASES)))
        self.choices = self.weighted_choices()
        self.first_hour = int(self.since.timestamp()) // 3600

    def signature(self, number, count):
        chance = self.chance
        # Each program has a few, whatever its share of the crashes is.
        program = PROGRAMS[number % len(PROGRAMS)][0] if number < 60 else chance.choices(*zip(*PROGRAMS))[0]
        what, signal = DEATHS[chance.randrange(len(DEATHS))]
        kind = chance.choices(["crash", "hang"], [95, 5])[0]
        if kind == "hang":
            what, signal = "hang", ""
            if number % 2 == 0:
                kind, what = "handled-error", "handled-error heap-overwrite"
        names = [f"{chance.choice(WORDS)}{chance.choice(THINGS)}(_:)" for _ in range(chance.randrange(4, 24))]
        function = f"{names[0][:-4]}{number}(_:)"
        text = f"{what} {function} | {names[1]} | {names[2]}"
        fate = chance.random()
        last = RELEASES - 1
        if fate < 0.70:
            releases = range(RELEASES)
        elif fate < 0.80:
            releases = range(chance.randrange(1, last))                    # fixed
        elif fate < 0.92:
            releases = range(chance.randrange(1, last + 1), RELEASES)      # came with a release
        else:
            gone = chance.randrange(1, last)
            releases = [release for release in range(RELEASES) if release != gone]  # back again
        return Signature(f"{chance.getrandbits(64):016x}", text, program, kind, signal, function,
                         [function] + names[1:], frozenset(releases), 1 / (number % count + 1) ** 1.1)

    def weighted_choices(self):
        """For each program and release its signatures and the running sums of their weights."""
        choices = {}
        for program, _ in PROGRAMS:
            for release in range(RELEASES):
                found = [index for index, one in enumerate(self.signatures)
                         if one.program == program and release in one.releases]
                choices[program, release] = (
                    found, list(itertools.accumulate(self.signatures[index].weight * (
                        WORSE_FACTOR if index == WORSE and release == RELEASES - 1 else 1) for index in found)))
        return choices

    def crashes(self, count):
        """The crashes, in no order."""
        chance = self.chance
        hours = range(self.first_hour, self.first_hour + WEEKS * 7 * 24)
        sums = list(itertools.accumulate(DAY[hour % 24] for hour in hours))
        programs = [name for name, _ in PROGRAMS]
        program_sums = list(itertools.accumulate(share for _, share in PROGRAMS))
        host_sums = list(itertools.accumulate(len(self.hosts) * SICK_SHARE if host in SICK else 1 for host in self.hosts))
        released = [int(time.timestamp()) // 3600 for time in self.released]
        draw, bits = chance.random, chance.getrandbits
        for _ in range(count):
            hour = hours[bisect.bisect(sums, draw() * sums[-1])]
            host = self.hosts[bisect.bisect(host_sums, draw() * host_sums[-1])]
            program = programs[bisect.bisect(program_sums, draw() * program_sums[-1])]
            release = bisect.bisect(released, hour - self.delay[host]) - 1
            found, weights = self.choices[program, release]
            signature = found[bisect.bisect(weights, draw() * weights[-1])]
            digits = f"{bits(128):032x}"
            identifier = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
            second = int(draw() * 3600)
            delay = draw() * 3600 if draw() > LATE_SHARE else draw() * 7 * DAY_S + 2 * DAY_S
            yield Crash(identifier, hour, second, bits(32) % 1_000_000, host, release, signature,
                        hour * 3600 + second + int(delay))

    def running_hours(self):
        """Rows of `host_hours` for the days of the last two weeks: each program runs on each host most of the time."""
        last = int(self.until.timestamp()) // DAY_S
        for day in range(last - 14, last):
            for program, _ in PROGRAMS:
                for number, host in enumerate(self.hosts):
                    yield day * 24, host, program, 18.0 if (number + day) % 4 == 0 else 24.0

    def wrong_clocks(self, crashes):
        """Further crashes on the hosts of `WRONG`, made of some of these, with the times that their clocks said. They
        arrive at once."""
        hosts = itertools.cycle(WRONG.items())
        for crash in crashes:
            host, error = next(hosts)
            now = crash.hour * 3600 + crash.second
            said = now % 5_000 if error is None else now + error
            yield crash._replace(id=f"f{crash.id[1:]}" if crash.id[0] != "f" else f"e{crash.id[1:]}", host=host,
                                 hour=said // 3600, second=said % 3600, arrived=now + 60)


class Lines:
    """Crashes as lines of JSON, one row of the table each."""

    def __init__(self, fleet, has_map):
        self.fleet, self.has_map = fleet, has_map
        self.hours, self.tails = {}, {}
        self.clock = [f"{second // 60:02}:{second % 60:02}" for second in range(3600)]

    def line(self, crash, signature=None):
        """`signature`, if given, is what an earlier explanation without symbols called it."""
        hour = self.hours.get(crash.hour)
        if hour is None:
            hour = self.hours[crash.hour] = datetime.datetime.fromtimestamp(
                crash.hour * 3600, datetime.timezone.utc).strftime("%Y-%m-%d %H:")
        key = (crash.signature, crash.release, crash.host, signature)
        tail = self.tails.get(key) if signature is None else None
        if tail is None:
            tail = self.tail(crash, signature)
            if signature is None and len(self.tails) < 200_000:
                self.tails[key] = tail
        arrived = datetime.datetime.fromtimestamp(crash.arrived, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
        return (f'{{"id":"{crash.id}","time":"{hour}{self.clock[crash.second]}","arrived":"{arrived}",'
                f'"microseconds":{crash.microseconds},{tail}\n').encode()

    def tail(self, crash, signature):
        one = self.fleet.signatures[crash.signature]
        version = self.fleet.versions[one.program][crash.release]
        row = {
            "host": crash.host, "program": one.program, "version": version,
            "build_id": self.fleet.build_ids[one.program, version],
            "signature": signature or one.text, "signature_id": "0" * 16 if signature else one.id,
            "kind": one.kind, "signal": one.signal, "function": one.function, "frames": one.frames,
        }
        annotations = {"server_name": crash.host, "region": "eu-" + crash.host[-1]}
        if self.has_map:
            row["annotations"] = annotations
        else:
            row["annotations.name"] = list(annotations)
            row["annotations.value"] = list(annotations.values())
        return json.dumps(row)[1:]
