// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// `ClockEvidence` as SQL.
struct ClockQuestions {
    let table: String
    private let arrived: String

    /// Without a column for the arrival, `inserted` is used, or nothing.
    init(_ table: CrashTable) {
        self.table = table.name
        arrived =
            table.columns.contains(.arrived)
            ? "toUnixTimestamp(arrived)"
            : table.hasInsertionTimes ? "toUnixTimestamp(inserted)" : "0"
    }

    private static let time = "toUnixTimestamp(time)"
    private static let earliest = Int(Timestamp.earliestSetClock.secondsSince1970)
    private static let prompt = ClockEvidence.promptSeconds

    private var isLate: String { "(\(arrived) > \(Self.time) + \(Self.prompt))" }
    private var isImpossible: String {
        "(\(Self.time) < \(Self.earliest) OR (\(arrived) >= \(Self.earliest) "
            + "AND \(Self.time) > \(arrived) + \(ClockEvidence.toleranceSeconds)))"
    }

    private var doubtful: String {
        """
        SELECT id
        FROM \(table)
        GLOBAL ANY LEFT JOIN
        (
            SELECT
                program,
                version,
                min(\(Self.time)) AS released,
                argMin(host, \(Self.time)) AS first_host
            FROM \(table)
            WHERE NOT \(isImpossible) AND NOT \(isLate)
            GROUP BY program, version
        ) AS releases
        USING (program, version)
        WHERE \(isImpossible)
            OR (\(isLate) AND host != first_host AND \(Self.time) + \(Self.prompt) < released)
        """
    }

    var isBelieved: String { "id GLOBAL NOT IN (\(doubtful))" }

    /// One number, `reports`.
    var doubtfulCount: String {
        "SELECT uniqExact(id) AS reports FROM (\(doubtful)) FORMAT JSONEachRow"
    }

    /// Orders rows to find the first crash; those that came late are behind all others.
    var order: String { "\(isLate) * 4294967296 + \(Self.time)" }

    var first: String { "min(\(order)) % 4294967296" }

    var firstVersion: String {
        "argMin(version, (\(order)) * 1000000 + microseconds)"
    }
}
