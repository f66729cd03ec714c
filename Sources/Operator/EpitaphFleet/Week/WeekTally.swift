// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Counts sightings, in any order, into a week. The result equals that of a table (docs/fleet.md).
///
/// Whether a time is believed depends on those of other reports, so all are kept until the end.
package struct WeekTally: Sendable {
    private struct Name: Hashable {
        let program: String
        /// The signature or the version.
        let detail: String
    }

    private struct Crashes {
        var text = ""
        var count = 0
        var hosts: Set<String> = []
        var programs: Set<String> = []
        var versions: Set<String> = []
        var signatures: Set<Name> = []
        var first: Timestamp?
        var last: Timestamp?
        var perStep: [Int: Int] = [:]
        /// The first at any time. Late ones count only if there are no others.
        var firstOfAll: Sighting?

        mutating func note(_ sighting: Sighting) {
            if let known = firstOfAll, known.comes(before: sighting) { return }
            firstOfAll = sighting
        }

        mutating func count(_ sighting: Sighting, _ signature: Name, step: Int) {
            count += 1
            hosts.insert(sighting.host)
            programs.insert(sighting.program)
            versions.insert(sighting.version)
            signatures.insert(signature)
            first = min(first ?? sighting.time, sighting.time)
            last = max(last ?? sighting.time, sighting.time)
            perStep[step, default: 0] += 1
        }
    }

    private let span: WeekSpan
    private var sightings: [Epitaph.ID: Sighting] = [:]
    private var doubtfulCount = 0
    private var all = Crashes()
    private var signatures: [Name: Crashes] = [:]
    private var releases: [Name: Crashes] = [:]
    private var hosts: [String: Crashes] = [:]
    private var kinds: [String: Int] = [:]

    package init(_ span: WeekSpan) {
        self.span = span
    }

    /// Counts a sighting once. Earlier ones than the span show what is new.
    package mutating func add(_ sighting: Sighting) {
        sightings[sighting.id] = sightings[sighting.id] ?? sighting
    }

    /// The week of what was added.
    package var week: FleetWeek {
        var counted = self
        counted.countAll()
        return counted.summary
    }

    private mutating func countAll() {
        var firsts: [Sighting.Release: Sighting] = [:]
        for sighting in sightings.values where sighting.isPossible && !sighting.isLate {
            let known = firsts[sighting.release]
            if known.map({ $0.comes(before: sighting) }) ?? false { continue }
            firsts[sighting.release] = sighting
        }
        for sighting in sightings.values {
            if sighting.isDoubtful(first: firsts[sighting.release]) {
                doubtfulCount += 1
            } else {
                count(sighting)
            }
        }
    }

    private mutating func count(_ sighting: Sighting) {
        guard sighting.time < span.end else { return }
        let step = span.step(of: sighting.time)
        guard sighting.kind == "crash" else {
            if step != nil { kinds[sighting.kind, default: 0] += 1 }
            return
        }
        all.note(sighting)
        let name = Name(program: sighting.program, detail: sighting.signatureID)
        let release = Name(program: sighting.program, detail: sighting.version)
        signatures[name, default: Crashes(text: sighting.signature)].note(sighting)
        releases[release, default: Crashes()].note(sighting)
        guard let step else { return }
        all.count(sighting, name, step: step)
        signatures[name]?.count(sighting, name, step: step)
        releases[release]?.count(sighting, name, step: step)
        hosts[sighting.host, default: Crashes()].count(sighting, name, step: step)
    }

    private var summary: FleetWeek {
        let earliest = all.firstOfAll?.time
        var week = FleetWeek(span)
        week.doubtfulCount = doubtfulCount
        week.crashCount = all.count
        week.hostCount = all.hosts.count
        week.programCount = all.programs.count
        week.signatureCount = all.signatures.count
        week.earliest = earliest
        week.perStep = steps(of: all)
        let isKnown = earliest.map { $0 < span.start } ?? false
        let new =
            isKnown
            ? signatures.filter { ($0.value.firstOfAll?.time ?? .distantPast) >= span.start } : [:]
        week.newSignatureCount = isKnown ? new.count : nil
        week.signatures = ordered(signatures).prefix(FleetWeek.mostSignatures).map {
            name, crashes in
            signature(name, crashes, isNew: new[name] != nil)
        }
        week.newSignatures = ordered(new).prefix(FleetWeek.mostSignatures).map(newSignature)
        let seen = ordered(releases)
        week.releaseCount = seen.count
        week.releases = seen.prefix(FleetWeek.mostReleases).map(release)
        week.hosts = topHosts
        week.otherKinds = kinds.map { FleetWeek.Kind(name: $0.key, reportCount: $0.value) }
            .sorted { ($1.reportCount, $0.name) < ($0.reportCount, $1.name) }
            .prefix(FleetWeek.mostKinds).map(\.self)
        return week
    }

    /// Those with crashes in the span, the most first.
    private func ordered(_ crashes: [Name: Crashes]) -> [(Name, Crashes)] {
        crashes.filter { $0.value.count > 0 }.map { ($0.key, $0.value) }.sorted { one, other in
            (other.1.count, one.0.program, one.0.detail)
                < (one.1.count, other.0.program, other.0.detail)
        }
    }

    private func steps(of crashes: Crashes) -> [Int] {
        (0..<span.stepCount).map { crashes.perStep[$0] ?? 0 }
    }

    private func signature(_ name: Name, _ crashes: Crashes, isNew: Bool) -> FleetWeek.Signature {
        FleetWeek.Signature(
            program: name.program, identifier: name.detail, text: crashes.text,
            crashCount: crashes.count, hostCount: crashes.hosts.count,
            versionCount: crashes.versions.count, first: crashes.first ?? span.start,
            last: crashes.last ?? span.start, perStep: steps(of: crashes), isNew: isNew)
    }

    private func newSignature(_ name: Name, _ crashes: Crashes) -> FleetWeek.NewSignature {
        FleetWeek.NewSignature(
            program: name.program, identifier: name.detail, text: crashes.text,
            crashCount: crashes.count, hostCount: crashes.hosts.count,
            first: crashes.firstOfAll?.time ?? span.start,
            firstVersion: crashes.firstOfAll?.version ?? "")
    }

    private func release(_ name: Name, _ crashes: Crashes) -> FleetWeek.Release {
        FleetWeek.Release(
            program: name.program, version: name.detail, crashCount: crashes.count,
            hostCount: crashes.hosts.count, signatureCount: crashes.signatures.count,
            first: crashes.firstOfAll?.time ?? span.start)
    }

    private var topHosts: [FleetWeek.Host] {
        let all = hosts.map { name, crashes in
            FleetWeek.Host(
                name: name, crashCount: crashes.count, programCount: crashes.programs.count,
                signatureCount: crashes.signatures.count)
        }
        return Array(
            all.sorted { one, other in
                (other.signatureCount, other.crashCount, one.name)
                    < (one.signatureCount, one.crashCount, other.name)
            }.prefix(FleetWeek.mostHosts))
    }
}

extension Sighting {
    /// The order of first crashes: by time, those that came late behind all others. Equal times are
    /// ordered by host and version, so that the order of reading changes nothing.
    fileprivate func comes(before other: Sighting) -> Bool {
        guard isLate == other.isLate else { return other.isLate }
        return (time, host, version) <= (other.time, other.host, other.version)
    }
}
