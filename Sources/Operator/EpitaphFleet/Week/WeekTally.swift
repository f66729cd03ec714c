// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Counts sightings, in any order, into a week, as SQL does (docs/fleet.md). Whether a time is
/// believed depends on other reports, so all are kept until the end.
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
        /// At any time before the end of the span.
        var countOfAll = 0
        var countBefore = 0
        /// Of a signature, by version.
        var releases: [String: Crashes] = [:]
        /// Hours with a crash, by host.
        var hours: [String: Set<Int>] = [:]
        var hoursBefore: [String: Set<Int>] = [:]
        var latest: Sighting?

        mutating func note(_ sighting: Sighting) {
            countOfAll += 1
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
            if let latest, (latest.time, latest.id) > (sighting.time, sighting.id) { return }
            latest = sighting
        }
    }

    private let span: WeekSpan
    private var sightings: [Epitaph.ID: Sighting] = [:]
    private var doubtfulCount = 0
    private var all = Crashes()
    private var allBefore: [Int]
    private var hostsOfBoth: Set<String> = []
    private var programsOfBoth: Set<String> = []
    private var signatures: [Name: Crashes] = [:]
    private var releases: [Name: Crashes] = [:]
    private var hosts: [String: Crashes] = [:]
    private var kinds: [String: Int] = [:]
    private var memoryErrors: [String: Crashes] = [:]

    package init(_ span: WeekSpan) {
        self.span = span
        allBefore = Array(repeating: 0, count: span.stepCount)
    }

    package mutating func add(_ sighting: Sighting) {
        sightings[sighting.id] = sightings[sighting.id] ?? sighting
    }

    /// - Parameter hours: how long programs ran in the span and before, as far as it is known.
    package func week(hours: [String: FleetWeek.Running] = [:]) -> FleetWeek {
        var counted = self
        counted.countAll()
        var week = counted.summary
        week.judge(
            counted.signatureCounts, counted.gaps, programs: counted.programsOfBoth, hours: hours)
        return week
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
        let name = Name(program: sighting.program, detail: sighting.signatureID)
        if let step, let error = MemoryErrors.name(in: sighting.signature) {
            memoryErrors[error, default: Crashes()].count(sighting, name, step: step)
        }
        guard sighting.kind == "crash" else {
            if step != nil { kinds[sighting.kind, default: 0] += 1 }
            return
        }
        all.note(sighting)
        let release = Name(program: sighting.program, detail: sighting.version)
        signatures[name, default: Crashes(text: sighting.signature)].note(sighting)
        releases[release, default: Crashes()].note(sighting)
        signatures[name]?.releases[sighting.version, default: Crashes()].note(sighting)
        if let step = span.stepAfter(sighting.time) {
            allBefore[step] += 1
            hostsOfBoth.insert(sighting.host)
            programsOfBoth.insert(sighting.program)
            signatures[name]?.countBefore += 1
            signatures[name]?.hoursBefore[sighting.host, default: []].insert(sighting.hour)
        }
        guard let step else { return }
        hostsOfBoth.insert(sighting.host)
        programsOfBoth.insert(sighting.program)
        signatures[name]?.hours[sighting.host, default: []].insert(sighting.hour)
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
        week.hostCountOfBoth = hostsOfBoth.count
        if let earliest, all.count > 0, span.isBeforeKnown(earliest) {
            week.before = .init(crashCount: allBefore.reduce(0, +), perStep: allBefore)
        }
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
        week.memoryErrors = memoryErrors.map { name, reports in
            FleetWeek.MemoryError(
                name: name, reportCount: reports.count, hostCount: reports.hosts.count,
                signatureCount: reports.signatures.count)
        }.sorted { ($1.reportCount, $0.name) < ($0.reportCount, $1.name) }
        return week
    }

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
            last: crashes.last ?? span.start, perStep: steps(of: crashes),
            reportID: crashes.latest?.id.description ?? "", isNew: isNew)
    }

    private func newSignature(_ name: Name, _ crashes: Crashes) -> FleetWeek.NewSignature {
        FleetWeek.NewSignature(
            program: name.program, identifier: name.detail, text: crashes.text,
            crashCount: crashes.count, hostCount: crashes.hosts.count,
            first: crashes.firstOfAll?.time ?? span.start,
            firstVersion: crashes.firstOfAll?.version ?? "",
            reportID: crashes.latest?.id.description ?? "")
    }

    private func release(_ name: Name, _ crashes: Crashes) -> FleetWeek.Release {
        FleetWeek.Release(
            program: name.program, version: name.detail, crashCount: crashes.count,
            hostCount: crashes.hosts.count, signatureCount: crashes.signatures.count,
            first: crashes.firstOfAll?.time ?? span.start)
    }

    private var signatureCounts: [SignatureCounts] {
        ordered(signatures).prefix(FleetWeek.mostChanges).map { name, crashes in
            let most = crashes.hours.map { (now: $0.value.count, before: before($0.key, crashes)) }
                .max { ($0.now, $1.before) < ($1.now, $0.before) }
            return SignatureCounts(
                program: name.program, identifier: name.detail, text: crashes.text,
                crashCount: crashes.count, crashCountBefore: crashes.countBefore,
                hostCount: crashes.hosts.count, reportID: crashes.latest?.id.description ?? "",
                first: crashes.firstOfAll?.time ?? span.start,
                hours: crashes.hours.values.reduce(0) { $0 + $1.count },
                hoursBefore: crashes.hoursBefore.values.reduce(0) { $0 + $1.count },
                mostHours: most?.now ?? 0, mostHoursBefore: most?.before ?? 0)
        }
    }

    private func before(_ host: String, _ crashes: Crashes) -> Int {
        crashes.hoursBefore[host]?.count ?? 0
    }

    private var gaps: [SignatureGap] {
        let byProgram = Dictionary(grouping: releases.keys, by: \.program).mapValues { names in
            names.map { name in
                let first = releases[name]?.firstOfAll?.time ?? span.start
                return (name: name, first: first.secondsSince1970.rounded(.down))
            }.sorted { ($0.first, $0.name.detail) < ($1.first, $1.name.detail) }
                .map(\.name)
        }
        return ordered(signatures).compactMap { name, crashes in
            gap(name, crashes, byProgram[name.program] ?? [])
        }
    }

    /// - Parameter order: the program's releases, the first first.
    private func gap(_ name: Name, _ crashes: Crashes, _ order: [Name]) -> SignatureGap? {
        let places = order.indices.filter { crashes.releases[order[$0].detail] != nil }
        guard let gap = places.indices.dropLast().last(where: { places[$0 + 1] > places[$0] + 1 })
        else { return nil }
        let (last, back) = (places[gap], places[gap + 1])
        let returned = places[(gap + 1)...].compactMap {
            crashes.releases[order[$0].detail]?.firstOfAll
        }.reduce(nil) { first, one in first.map { $0.comes(before: one) ? $0 : one } ?? one }
        guard let returned, returned.time >= span.start else { return nil }
        func count(_ range: some Sequence<Int>) -> Int {
            range.reduce(0) { $0 + (releases[order[$1]]?.countOfAll ?? 0) }
        }
        return SignatureGap(
            program: name.program, identifier: name.detail,
            gap: .init(goneIn: order[last + 1].detail, backIn: order[back].detail),
            seen: places[...gap].reduce(0) {
                $0 + (crashes.releases[order[$1].detail]?.countOfAll ?? 0)
            }, among: count(0...last), others: count((last + 1)..<back))
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
    fileprivate var hour: Int { Int((time.secondsSince1970 / 3_600).rounded(.down)) }

    /// By time; late ones last; then by host and version, so that reading order changes nothing.
    fileprivate func comes(before other: Sighting) -> Bool {
        guard isLate == other.isLate else { return other.isLate }
        return (time, host, version) <= (other.time, other.host, other.version)
    }
}
