# SPDX-License-Identifier: Apache-2.0
"""The answers to the questions of docs/fleet.md, counted from the crashes of fleet_crashes without any engine."""

import collections
import datetime
import fractions
import math

from fleet_crashes import DAY_S, PROGRAMS, instant

# What the statements of the page say.
WEEK = instant("2026-11-16")
TUESDAY = instant("2026-11-17T12:00")
UNTIL = instant("2026-11-23")
PROGRAM, HOST = "exampled", "web-0042"
HOSTS, HOURS = 2000, 168
BEFORE = instant("2026-11-09")
LEVEL = 0.01


def second_of(crash):
    return crash.hour * 3600 + crash.second


def is_prompt(crash):
    """Whether the time at which it arrived bears out its clock."""
    return crash.arrived <= second_of(crash) + DAY_S


def exceeds(now, before, share):
    """The p-value of the conditional binomial test: as many hours now or more, if nothing has changed."""
    share = fractions.Fraction(share).limit_denominator(10**6)
    return float(sum(math.comb(now + before, hits) * share**hits * (1 - share)**(now + before - hits)
                     for hits in range(now, now + before + 1)))


def bound(now, before, share):
    """The logarithm of Chernoff's bound of that p-value."""
    all_hours = now + before
    if now <= all_hours * share:
        return 0.0
    rest = before * math.log(before / (all_hours * (1 - share))) if before else 0.0
    return -(now * math.log(now / (all_hours * share)) + rest)


def text_of(second):
    return datetime.datetime.fromtimestamp(second, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


class Truth:
    """Answers by the name of their question, each a list of rows as JSON has them."""

    def __init__(self, fleet, crashes, wrong):
        self.fleet, self.wrong = fleet, wrong
        self.all = crashes
        self.ended = [crash for crash in crashes if fleet.signatures[crash.signature].kind == "crash"]
        week = int(WEEK.timestamp())
        self.week = [crash for crash in self.ended if second_of(crash) >= week]
        self.before = [crash for crash in self.ended if int(BEFORE.timestamp()) <= second_of(crash) < week]
        self.running = collections.defaultdict(lambda: [0.0, 0.0])
        for hour, _, program, hours in fleet.running_hours():
            self.running[program][hour * 3600 < week] += hours

    def sign(self, crash):
        return self.fleet.signatures[crash.signature]

    def version(self, crash):
        return self.fleet.versions[self.sign(crash).program][crash.release]

    def answers(self):
        return {
            "top-by-release": self.top_by_release(), "new-since": self.new_since(), "regressions": self.regressions(),
            "back-this-week": self.back_this_week(), "worse-this-week": self.worse_this_week(), "rates": self.rates(),
            "hosts-affected": self.hosts_affected(), "sick-hosts": self.sick_hosts(),
            "crash-free-hours": self.crash_free_hours(), "host-history": self.host_history(),
            "wrong-clocks": self.wrong_clocks(), "counts-per-hour": self.counts_per_hour(), "annotations": self.annotations(),
            "memory-errors": self.memory_errors(),
        }

    def top_by_release(self):
        counts, hosts = collections.Counter(), collections.defaultdict(set)
        for crash in self.week:
            if self.sign(crash).program == PROGRAM:
                key = self.version(crash), self.sign(crash).text
                counts[key] += 1
                hosts[key].add(crash.host)
        rows, of_version = [], collections.Counter()
        for version, text in sorted(counts, key=lambda key: (key[0], -counts[key], key[1])):
            of_version[version] += 1
            if of_version[version] <= 5:
                rows.append({"version": version, "signature": text, "crashes": counts[version, text],
                             "hosts": len(hosts[version, text])})
        return rows

    def by_signature(self, crashes):
        """Of each signature its number of crashes, its hosts and its first second; of prompt reports if there are
        any."""
        counts, hosts, first = collections.Counter(), collections.defaultdict(set), {}
        prompt = {crash.signature for crash in crashes if is_prompt(crash)}
        for crash in crashes:
            counts[crash.signature] += 1
            hosts[crash.signature].add(crash.host)
            if is_prompt(crash) or crash.signature not in prompt:
                first[crash.signature] = min(first.get(crash.signature, 1 << 40), second_of(crash))
        return counts, hosts, first

    def ordered(self, counts, *before):
        names = self.fleet.signatures
        return sorted(counts, key=lambda index: (
            *(-values(index) for values in before), -counts[index], names[index].program, names[index].text))

    def new_since(self):
        counts, hosts, first = self.by_signature(self.ended)
        tuesday = int(TUESDAY.timestamp())
        found = [index for index in self.ordered(counts) if first[index] >= tuesday][:50]
        return [{"program": self.fleet.signatures[index].program, "signature": self.fleet.signatures[index].text,
                 "first": text_of(first[index]), "crashes": counts[index], "hosts": len(hosts[index])}
                for index in found]

    def regressions(self):
        counts, _, _ = self.by_signature(self.ended)
        seen, totals = collections.defaultdict(set), collections.Counter()
        for crash in self.ended:
            seen[crash.signature].add(crash.release)
            totals[self.sign(crash).program, crash.release] += 1
        rows = []
        for index in self.ordered(counts):
            places = sorted(seen[index])
            gaps = [(here, later) for here, later in zip(places, places[1:]) if later > here + 1]
            if gaps:
                here, later = gaps[-1]
                one = self.fleet.signatures[index]
                versions = self.fleet.versions[one.program]
                rows.append({"program": one.program, "signature": one.text, "last_seen_in": versions[here],
                             "gone_in": versions[here + 1], "back_in": versions[later], "crashes": counts[index],
                             "others": totals[one.program, here + 1]})
        return rows[:20]

    def gaps(self):
        """Of each signature that came back this week, for certain: the release without it, that with it, and the
        numbers that show it."""
        seen, totals, first = collections.defaultdict(collections.Counter), collections.Counter(), {}
        for crash in self.ended:
            seen[crash.signature][crash.release] += 1
            totals[self.sign(crash).program, crash.release] += 1
            key = crash.signature, crash.release
            first[key] = min(first.get(key, (True, 1 << 40)), (not is_prompt(crash), second_of(crash)))
        limit = -math.log(LEVEL / len({crash.signature for crash in self.week}))
        found = {}
        for index, releases in seen.items():
            places, program = sorted(releases), self.fleet.signatures[index].program
            gaps = [(here, later) for here, later in zip(places, places[1:]) if later > here + 1]
            if not gaps:
                continue
            here, later = gaps[-1]
            count = sum(releases[place] for place in places if place <= here)
            among = sum(totals[program, place] for place in range(here + 1))
            others = sum(totals[program, place] for place in range(here + 1, later))
            back = min(first[index, place] for place in places if place >= later)[1]
            if back >= WEEK.timestamp() and count * math.log((among + others) / among) > limit:
                versions = self.fleet.versions[program]
                found[index] = {"gone_in": versions[here + 1], "back_in": versions[later], "seen": count,
                                "among": among, "others": others}
        return found

    def back_this_week(self):
        gaps, names = self.gaps(), self.fleet.signatures
        order = sorted(gaps, key=lambda index: (-gaps[index]["seen"], names[index].program, names[index].text))
        return [{"program": names[index].program, "signature": names[index].text, **gaps[index]}
                for index in order[:20]]

    def host_hours(self, crashes):
        hours = collections.defaultdict(lambda: collections.defaultdict(set))
        for crash in crashes:
            hours[crash.signature][crash.host].add(crash.hour)
        return {index: {host: len(found) for host, found in hosts.items()} for index, hosts in hours.items()}

    def worse(self, share_of):
        """Of each signature that is certainly worse: its hours now and before, all and without the host with most."""
        now, before, found = self.host_hours(self.week), self.host_hours(self.before), {}
        for index, hosts in now.items():
            earlier = before.get(index, {})
            most = max(hosts, key=lambda host: (hosts[host], -earlier.get(host, 0)))
            all_hours, all_before = sum(hosts.values()), sum(earlier.values())
            hours, hours_before = all_hours - hosts[most], all_before - earlier.get(most, 0)
            share = share_of(self.fleet.signatures[index].program)
            strength = bound(hours, hours_before, share)
            if hours + hours_before < 3000 and strength < 0:
                assert exceeds(hours, hours_before, share) <= math.exp(strength) * (1 + 1e-9)
            if strength < math.log(LEVEL / len(now)):
                found[index] = hours, hours_before, all_hours, all_before, -strength
        return found

    def worse_this_week(self):
        counts, _, _ = self.by_signature(self.week)
        earlier, _, _ = self.by_signature(self.before)
        found, names = self.worse(lambda program: 0.5), self.fleet.signatures
        return [{"program": names[index].program, "signature": names[index].text, "crashes": counts[index],
                 "crashes_before": earlier[index], "hours": found[index][0], "hours_before": found[index][1],
                 "evidence": found[index][4]}
                for index in self.ordered({index: counts[index] for index in found if earlier[index]})[:20]]

    def rates(self):
        counts = collections.Counter(self.sign(crash).program for crash in self.week)
        return [{"program": program, "crashes": counts[program], "hours": self.running[program][0],
                 "crashes_per_1000_hours": round(1000 * counts[program] / self.running[program][0], 3)}
                for program in sorted(counts)]

    def hosts_affected(self):
        counts, hosts, _ = self.by_signature(self.week)
        return [{"program": self.fleet.signatures[index].program, "signature": self.fleet.signatures[index].text,
                 "hosts": len(hosts[index]), "crashes": counts[index],
                 "crashes_per_host": round(counts[index] / len(hosts[index]), 2)}
                for index in self.ordered(counts, lambda index: len(hosts[index]))[:20]]

    def sick_hosts(self):
        counts, programs = collections.Counter(), collections.defaultdict(set)
        signatures = collections.defaultdict(set)
        for crash in self.week:
            counts[crash.host] += 1
            programs[crash.host].add(self.sign(crash).program)
            signatures[crash.host].add(crash.signature)
        order = sorted(counts, key=lambda host: (-len(signatures[host]), -counts[host], host))
        return [{"host": host, "crashes": counts[host], "programs": len(programs[host]),
                 "signatures": len(signatures[host])} for host in order[:10]]

    def wrong_clocks(self):
        times = collections.defaultdict(list)
        for crash in self.wrong:
            times[crash.host].append(second_of(crash))
        return [{"host": host, "reports": len(times[host]), "earliest": text_of(min(times[host])),
                 "latest": text_of(max(times[host]))}
                for host in sorted(times, key=lambda host: (-len(times[host]), host))[:20]]

    def crash_free_hours(self):
        hours, of_hosts = collections.defaultdict(set), collections.defaultdict(set)
        for crash in self.week:
            hours[self.sign(crash).program].add(crash.hour)
            of_hosts[self.sign(crash).program].add((crash.host, crash.hour))
        return [{"program": program, "hours_without_a_crash_anywhere": HOURS - len(hours[program]),
                 "machine_hours_with_crashes": len(of_hosts[program]),
                 "crash_free_machine_hours_percent": round(100 * (1 - len(of_hosts[program]) / (HOSTS * HOURS)), 3)}
                for program in sorted(name for name, _ in PROGRAMS) if hours[program]]

    def host_history(self):
        found = sorted((crash for crash in self.all if crash.host == HOST),
                       key=lambda crash: (-second_of(crash), -crash.microseconds, crash.id))
        return [{"time": text_of(second_of(crash)), "microseconds": crash.microseconds,
                 "program": self.sign(crash).program, "version": self.version(crash), "kind": self.sign(crash).kind,
                 "signal": self.sign(crash).signal, "signature": self.sign(crash).text, "id": crash.id}
                for crash in found[:100]]

    def counts_per_hour(self):
        counts, hosts = collections.Counter(), collections.defaultdict(set)
        for crash in self.week:
            if self.sign(crash).program == PROGRAM:
                counts[crash.hour] += 1
                hosts[crash.hour].add(crash.host)
        return [{"hour": text_of(hour * 3600), "crashes": counts[hour], "hosts": len(hosts[hour])}
                for hour in sorted(counts)]

    def memory_errors(self):
        kinds = "use-after-free", "heap-out-of-bounds", "double-free", "invalid-free", "heap-overwrite"
        counts, hosts, signatures = collections.Counter(), collections.defaultdict(set), collections.defaultdict(set)
        for crash in self.all:
            error = self.sign(crash).text.removeprefix("handled-error ").split()[0]
            if error in kinds and second_of(crash) >= WEEK.timestamp():
                counts[error] += 1
                hosts[error].add(crash.host)
                signatures[error].add(crash.signature)
        return [{"error": error, "reports": counts[error], "hosts": len(hosts[error]), "signatures": len(signatures[error])}
                for error in sorted(counts, key=lambda error: (-counts[error], error))]

    def annotations(self):
        counts, week = collections.Counter(), int(WEEK.timestamp())
        for crash in self.all:
            if second_of(crash) >= week and self.sign(crash).program == PROGRAM:
                counts["eu-" + crash.host[-1]] += 1
        return [{"region": region, "crashes": counts[region]}
                for region in sorted(counts, key=lambda region: (-counts[region], region))]

    def page(self):
        """What `dump-convert fleet --json` says of the week."""
        start, steps = int(WEEK.timestamp()) // 3600, HOURS
        per_step = [0] * steps
        for crash in self.week:
            per_step[crash.hour - start] += 1
        _, _, first_of_all = self.by_signature(self.ended)
        new = {index for index, second in first_of_all.items() if second >= start * 3600}
        return {
            "crashes": len(self.week), "hosts": len({crash.host for crash in self.week}),
            "programs": len({self.sign(crash).program for crash in self.week}),
            "releases": len({(self.sign(crash).program, crash.release) for crash in self.week}),
            "signatures": len({crash.signature for crash in self.week}), "newSignatures": len(new),
            "earliest": stamp(min(second_of(crash) for crash in self.ended if is_prompt(crash))),
            "doubtful": len(self.wrong), "crashesPerStep": per_step, **self.page_before(start),
            "changes": self.page_changes(new), "stepSeconds": 3600,
            "topSignatures": self.page_signatures(new, start), "topNewSignatures": self.page_new(new),
            "topReleases": self.page_releases(), "topHosts": self.page_hosts(), "otherReports": self.page_kinds(),
            "memoryErrors": self.memory_errors(),
        }

    def page_before(self, start):
        per_step = [0] * HOURS
        for crash in self.before:
            per_step[crash.hour - start + HOURS] += 1
        programs = {self.sign(crash).program for crash in self.week + self.before}
        return {"crashesBefore": len(self.before), "crashesPerStepBefore": per_step, "before": stamp(BEFORE.timestamp()),
                "hostsInBoth": len({crash.host for crash in self.week + self.before}),
                "runningHours": sum(self.running[program][0] for program in programs),
                "runningHoursBefore": sum(self.running[program][1] for program in programs)}

    def page_changes(self, new):
        counts, hosts, _ = self.by_signature(self.week)
        earlier, _, _ = self.by_signature(self.before)
        gaps = self.gaps()
        worse = self.worse(lambda program: self.running[program][0] / sum(self.running[program]))
        rows = []
        for index in self.page_order({index: counts[index] for index in counts if index in gaps or index in worse}):
            if index in new:
                continue
            row = {**self.page_name(index), "crashes": counts[index], "crashesBefore": earlier[index],
                   "hosts": len(hosts[index]), "report": self.latest(index), "isWorse": index in worse}
            if index in gaps:
                row |= {"goneIn": gaps[index]["gone_in"], "backIn": gaps[index]["back_in"]}
            if index in worse and worse[index][3]:
                now, before = self.running[self.fleet.signatures[index].program]
                row["factor"] = worse[index][2] / now / (worse[index][3] / before)
            rows.append(row)
        return rows

    def latest(self, index):
        return max((second_of(crash), crash.microseconds, crash.id) for crash in self.week if crash.signature == index)[2]

    def page_order(self, counts):
        names = self.fleet.signatures
        return sorted(counts, key=lambda index: (-counts[index], names[index].program, names[index].id))

    def page_signatures(self, new, start):
        counts, hosts, _ = self.by_signature(self.week)
        first = {}
        last, versions = {}, collections.defaultdict(set)
        steps = collections.defaultdict(lambda: [0] * HOURS)
        for crash in self.week:
            first[crash.signature] = min(first.get(crash.signature, 1 << 40), second_of(crash))
            last[crash.signature] = max(last.get(crash.signature, 0), second_of(crash))
            versions[crash.signature].add(crash.release)
            steps[crash.signature][crash.hour - start] += 1
        return [{**self.page_name(index), "crashes": counts[index], "hosts": len(hosts[index]),
                 "versions": len(versions[index]), "first": stamp(first[index]), "last": stamp(last[index]),
                 "isNew": index in new, "report": self.latest(index), "crashesPerStep": steps[index]} for index in self.page_order(counts)[:20]]

    def page_name(self, index):
        one = self.fleet.signatures[index]
        return {"program": one.program, "identifier": one.id, "signature": one.text}

    def page_new(self, new):
        counts, hosts, _ = self.by_signature(self.week)
        earliest = {}
        for crash in self.week:
            if crash.signature in new:
                moment = not is_prompt(crash), second_of(crash), crash.microseconds
                if crash.signature not in earliest or moment < earliest[crash.signature][0]:
                    earliest[crash.signature] = moment, self.version(crash)
        order = [index for index in self.page_order(counts) if index in new][:20]
        return [{**self.page_name(index), "crashes": counts[index], "hosts": len(hosts[index]),
                 "first": stamp(earliest[index][0][1]), "firstVersion": earliest[index][1],
                 "report": self.latest(index)} for index in order]

    def page_releases(self):
        counts, first = collections.Counter(), {}
        hosts, signatures = collections.defaultdict(set), collections.defaultdict(set)
        for crash in self.ended:
            key = self.sign(crash).program, self.version(crash)
            first[key] = min(first.get(key, (True, 1 << 40)), (not is_prompt(crash), second_of(crash)))
        first = {key: second for key, (_, second) in first.items()}
        for crash in self.week:
            key = self.sign(crash).program, self.version(crash)
            counts[key] += 1
            hosts[key].add(crash.host)
            signatures[key].add(crash.signature)
        order = sorted(counts, key=lambda key: (-counts[key], key))[:30]
        return [{"program": key[0], "version": key[1], "crashes": counts[key], "hosts": len(hosts[key]),
                 "signatures": len(signatures[key]), "first": stamp(first[key]),
                 "isNew": first[key] >= WEEK.timestamp()} for key in order]

    def page_hosts(self):
        return [{name: row[name] for name in ("host", "signatures", "programs", "crashes")}
                for row in self.sick_hosts()]

    def page_kinds(self):
        week = WEEK.timestamp()
        counts = collections.Counter(self.sign(crash).kind for crash in self.all if second_of(crash) >= week)
        del counts["crash"]
        order = sorted(counts, key=lambda kind: (-counts[kind], kind))
        return [{"kind": kind, "reports": counts[kind]} for kind in order]


def stamp(second):
    return text_of(second).replace(" ", "T") + "Z"
