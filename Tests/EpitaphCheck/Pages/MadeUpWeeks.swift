// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// Pages of fleets that do not exist: a busy week, one without a crash, one with a single one, one
/// in which every text is hostile, three months, and one with all that can get worse.
enum MadeUpWeeks {
    private static let until = Timestamp(secondsSince1970: 1_795_392_000)  // 2026-11-23
    private static let day = 86_400.0

    static var pages: [(name: String, page: FleetPage)] {
        [
            ("week-busy", page(of: busy(days: 7), days: 7)),
            ("week-months", page(of: busy(days: 90), days: 90)),
            ("week-empty", page(of: [], days: 7)),
            (
                "week-one",
                page(
                    of: [Sighting(id: Epitaph.ID(), time: until.adding(seconds: -3 * day))], days: 7
                )
            ),
            (
                "week-hostile",
                page(of: hostile, days: 7, source: HostileSnapshot.text, [HostileSnapshot.text])
            ),
            (
                "week-worse",
                page(
                    of: worse, days: 7, hours: ["exampled": .init(now: 8_400, before: 8_000)],
                    reportAddress: "https://crash.example.org/reports/{uuid}")
            ),
        ]
    }

    private static func page(
        of sightings: [Sighting], days: Double, source: String = "table crashes of a test",
        _ remarks: [String] = [], hours: [String: FleetWeek.Running] = [:],
        reportAddress: String? = nil
    ) -> FleetPage {
        guard let span = WeekSpan(since: until.adding(seconds: -days * day), until: until)
        else { fatalError("no span of \(days) days") }
        var tally = WeekTally(span)
        for sighting in sightings { tally.add(sighting) }
        return FleetPage(
            tally.week(hours: hours), source: source, remarks: remarks,
            reportAddress: reportAddress)
    }

    /// 60,000 crashes of 40 signatures by a power law, more of them by day, on 300 hosts, with one
    /// that begins in the middle.
    private static func busy(days: Double) -> [Sighting] {
        var random = SplitMix(state: 15)
        return (0..<60_000).map { index in
            let time = until.adding(seconds: -Double.random(in: 0...days, using: &random) * day)
            let rank = Int(pow(40, Double.random(in: 0..<1, using: &random))) - 1
            let hour = Int(time.secondsSince1970) / 3600 % 24
            let isNight = (22...23).contains(hour) || hour < 7
            let isNew = rank == 2 && time < until.adding(seconds: -days / 3 * day)
            return Sighting(
                // A tenth happened before, so that it can be told what is new.
                id: Epitaph.ID(),
                time: index % 10 == 0 || isNight && index % 3 > 0
                    ? time.adding(seconds: isNew ? 0 : -days * day) : time,
                host: "web-\(Int.random(in: 0..<300, using: &random))",
                program: ["exampled", "gatewayd", "indexer"][rank % 3],
                version: ["4.2.0", "4.3.0", "4.3.1"][Int.random(in: 0..<3, using: &random)],
                kind: index % 40 == 0 ? "hang" : "crash",
                signature: isNew
                    ? "abort other(_:)"
                    : "null-dereference Session.parse\(rank)(_:) | Connection.handle(_:) | main",
                signatureID: isNew ? "n" : "\(rank)")
        }
    }

    /// A signature that is new, one that is back and one that is worse.
    private static var worse: [Sighting] {
        func some(
            _ count: Int, _ name: String, in version: String, weeksAgo weeks: Double
        ) -> [Sighting] {
            (0..<count).map { index in
                let days = weeks * 7 + Double(index % 6) + 0.5
                return Sighting(
                    id: Epitaph.ID(), time: until.adding(seconds: -days * day),
                    host: "web-\(index)", program: "exampled", version: version, kind: "crash",
                    signature: "abort \(name) | main", signatureID: name)
            }
        }
        return some(60, "back", in: "1.0", weeksAgo: 2) + some(60, "usual", in: "1.0", weeksAgo: 2)
            + some(200, "usual", in: "1.1", weeksAgo: 1) + some(9, "worse", in: "1.1", weeksAgo: 1)
            + some(80, "worse", in: "1.2", weeksAgo: 0) + some(30, "back", in: "1.2", weeksAgo: 0)
            + some(20, "new", in: "1.2", weeksAgo: 0)
    }

    private static var hostile: [Sighting] {
        HostileSnapshot.texts.enumerated().flatMap { index, text in
            [-1.0, 1].map { sign in
                Sighting(
                    id: Epitaph.ID(), time: until.adding(seconds: (sign * 3 - 5) * day), host: text,
                    program: text, version: text, kind: index % 3 == 0 ? text : "crash",
                    signature: String(repeating: text, count: 200), signatureID: text)
            }
        }
    }
}
