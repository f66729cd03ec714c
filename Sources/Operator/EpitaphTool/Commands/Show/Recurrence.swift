// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphMinidump
import EpitaphValues

/// How often databases have the death of a report: by the signatures that are kept beside reports,
/// so no stack is read again. Reports that were removed are not counted.
struct Recurrence {
    /// For databases of up to a hundred thousand reports. A reader at night does not wait for more.
    private static let longest = Duration.seconds(3)

    private struct Sighting {
        let id: Epitaph.ID
        let order: Epitaph.ReportOrder
        let time: Timestamp
        /// Nil if it is not known.
        let program: String?
        /// With its annotations alone.
        let said: ProcessSnapshot
    }

    /// `4th since Tuesday, first seen in 1.4, on 3 hosts`; nil if no signature of the report is
    /// kept, or counting takes too long.
    static func words(of id: Epitaph.ID, in paths: [String], now: Timestamp = .now) -> String? {
        let databases = paths.compactMap { try? ReportDatabase(named: $0) }
        let caches = databases.map { SignatureCache($0, ifMissing: .fail) }
        guard let wanted = caches.lazy.compactMap({ $0.signature(of: id) }).first else {
            return nil
        }
        let end = ContinuousClock.now + Self.longest
        var all: [Sighting] = []
        for (database, cache) in zip(databases, caches) {
            let found = try? database.asOwner {
                sightings(of: wanted.identifier, in: database, cache, until: end)
            }
            all += found ?? []
        }
        guard ContinuousClock.now < end else { return nil }
        guard let own = all.first(where: { $0.id == id }) else { return nil }
        let same = all.filter { $0.program == own.program }
            .sorted { $0.order < $1.order }
        guard let place = same.firstIndex(where: { $0.id == id }) else { return nil }
        return words(same, place, now)
    }

    private static func words(_ same: [Sighting], _ place: Int, _ now: Timestamp) -> String {
        guard same.count > 1 else { return "once, in the reports that are here" }
        let count = place + 1 < same.count ? " of \(same.count)" : ""
        let version = same[0].said.programVersion.map { ", first seen in \($0)" } ?? ""
        let hosts = Set(same.compactMap(\.said.hostName)).count
        return "\(ordinal(place + 1))\(count) since \(day(same[0].time, now))\(version)"
            + (hosts > 1 ? ", on \(hosts) hosts" : "")
    }

    private static func sightings(
        of identifier: String, in database: ReportDatabase, _ cache: SignatureCache,
        until end: ContinuousClock.Instant
    ) -> [Sighting] {
        let reports = (try? database.allReports().reports) ?? []
        return reports.compactMap { report -> Sighting? in
            guard ContinuousClock.now < end,
                cache.signature(of: report.uuid)?.identifier == identifier,
                let file = try? database.openMinidump(of: report.uuid),
                let facts = try? ReportFacts(readingMinidump: file, at: report.path),
                let said = try? ReportFacts.outline(
                    of: file, at: report.path, MinidumpReader.readAnnotations)
            else { return nil }
            return Sighting(
                id: report.uuid, order: report.order,
                time: report.crashTime ?? report.creationTime, program: facts.program, said: said)
        }
    }

    static func ordinal(_ number: Int) -> String {
        let ending =
            switch (number % 100, number % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(number)\(ending)"
    }

    /// `03:14 UTC` of today, `Tuesday` of this week, `2026-10-03`.
    static func day(_ time: Timestamp, _ now: Timestamp) -> String {
        let text = UTCTime.text(time)
        let (day, today) = (dayNumber(time), dayNumber(now))
        guard day != today else { return "\(text.dropFirst(11).prefix(5)) UTC" }
        guard today - day > 0, today - day < 7 else { return String(text.prefix(10)) }
        // The first of January 1970 was a Thursday.
        let names = [
            "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
        ]
        return names[((day % 7) + 7) % 7]
    }

    private static func dayNumber(_ time: Timestamp) -> Int {
        Int((time.secondsSince1970 / 86_400).rounded(.down).clamped(to: -1e12...1e12))
    }
}
