// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The questions to a table of crashes (docs/fleet.md), in SQL for servers since 18.16. Each answer
/// has a bounded number of rows. Statements contain no texts of reports, so nothing needs quoting.
struct WeekQuestions {
    let clocks: ClockQuestions
    let span: WeekSpan

    private static let longestSignature = 1_000

    var table: String { clocks.table }
    var start: Int { Int(span.start.secondsSince1970) }
    private var end: Int { Int(span.end.secondsSince1970) }

    var beforeEnd: String {
        "kind = 'crash' AND time < toDateTime(\(end), 'UTC') AND \(clocks.isBelieved)"
    }
    var fromStart: String { "time >= toDateTime(\(start), 'UTC')" }
    private var inSpan: String { "\(fromStart) AND \(beforeEnd)" }
    private var step: String {
        "intDiv(toUnixTimestamp(time) - \(start), \(span.stepSeconds)) AS step"
    }
    private var text: String { "\(shortText) AS text" }
    var shortText: String {
        "substringUTF8(any(signature), 1, \(Self.longestSignature))"
    }

    var latest: String {
        "argMax(toString(id), toUnixTimestamp(time) * 1000000 + microseconds)"
    }

    var totals: String {
        """
        SELECT
            count() AS crashes,
            uniqExact(host) AS hosts,
            uniqExact(program) AS programs,
            uniqExact(program, signature_id) AS signatures,
            uniqExact(program, version) AS releases
        FROM \(table) FINAL
        WHERE \(inSpan)
        FORMAT JSONEachRow
        """
    }

    var earliest: String {
        """
        SELECT count() AS crashes, \(clocks.first) AS earliest
        FROM \(table)
        WHERE \(beforeEnd)
        FORMAT JSONEachRow
        """
    }

    var steps: String {
        """
        SELECT \(step), count() AS crashes
        FROM \(table) FINAL
        WHERE \(inSpan)
        GROUP BY step
        ORDER BY step
        LIMIT \(span.stepCount)
        FORMAT JSONEachRow
        """
    }

    var signatures: String {
        """
        SELECT
            program,
            signature_id,
            \(text),
            count() AS crashes,
            uniqExact(host) AS hosts,
            uniqExact(version) AS versions,
            toUnixTimestamp(min(time)) AS first,
            toUnixTimestamp(max(time)) AS last,
            \(latest) AS report
        FROM \(table) FINAL
        WHERE \(inSpan)
        GROUP BY program, signature_id
        ORDER BY crashes DESC, program, signature_id
        LIMIT \(FleetWeek.mostSignatures)
        FORMAT JSONEachRow
        """
    }

    var signatureSteps: String {
        """
        SELECT program, signature_id, \(step), count() AS crashes
        FROM \(table) FINAL
        WHERE \(inSpan) AND (program, signature_id) GLOBAL IN
        (
            SELECT program, signature_id
            FROM \(table) FINAL
            WHERE \(inSpan)
            GROUP BY program, signature_id
            ORDER BY count() DESC, program, signature_id
            LIMIT \(FleetWeek.mostSignatures)
        )
        GROUP BY program, signature_id, step
        LIMIT \(FleetWeek.mostSignatures * span.stepCount)
        FORMAT JSONEachRow
        """
    }

    private var newOnes: String {
        """
        FROM \(table) FINAL
        WHERE \(beforeEnd)
        GROUP BY program, signature_id
        HAVING first >= \(start)
        """
    }

    var newSignatures: String {
        """
        SELECT
            program,
            signature_id,
            \(text),
            countIf(\(fromStart)) AS crashes,
            uniqExactIf(host, \(fromStart)) AS hosts,
            \(clocks.first) AS first,
            \(clocks.firstVersion) AS first_version,
            \(latest) AS report
        \(newOnes)
        ORDER BY crashes DESC, program, signature_id
        LIMIT \(FleetWeek.mostSignatures)
        FORMAT JSONEachRow
        """
    }

    var newSignatureCount: String {
        """
        SELECT count() AS signatures
        FROM
        (
            SELECT program, signature_id, \(clocks.first) AS first
            \(newOnes)
        )
        FORMAT JSONEachRow
        """
    }

    var releases: String {
        """
        SELECT
            program,
            version,
            countIf(\(fromStart)) AS crashes,
            uniqExactIf(host, \(fromStart)) AS hosts,
            uniqExactIf(signature_id, \(fromStart)) AS signatures,
            \(clocks.first) AS first
        FROM \(table) FINAL
        WHERE \(beforeEnd)
        GROUP BY program, version
        HAVING crashes > 0
        ORDER BY crashes DESC, program, version
        LIMIT \(FleetWeek.mostReleases)
        FORMAT JSONEachRow
        """
    }

    var hosts: String {
        """
        SELECT
            host,
            count() AS crashes,
            uniqExact(program) AS programs,
            uniqExact(program, signature_id) AS signatures
        FROM \(table) FINAL
        WHERE \(inSpan)
        GROUP BY host
        ORDER BY signatures DESC, crashes DESC, host
        LIMIT \(FleetWeek.mostHosts)
        FORMAT JSONEachRow
        """
    }

    var memoryErrors: String {
        """
        SELECT
            \(MemoryErrors.expression) AS error,
            count() AS reports,
            uniqExact(host) AS hosts,
            uniqExact(program, signature_id) AS signatures
        FROM \(table) FINAL
        WHERE error IN (\(MemoryErrors.list))
            AND \(fromStart) AND time < toDateTime(\(end), 'UTC')
            AND \(clocks.isBelieved)
        GROUP BY error
        ORDER BY reports DESC, error
        LIMIT \(FleetWeek.mostKinds)
        FORMAT JSONEachRow
        """
    }

    var otherKinds: String {
        """
        SELECT kind, count() AS reports
        FROM \(table) FINAL
        WHERE kind != 'crash'
            AND \(fromStart) AND time < toDateTime(\(end), 'UTC')
            AND \(clocks.isBelieved)
        GROUP BY kind
        ORDER BY reports DESC, kind
        LIMIT \(FleetWeek.mostKinds)
        FORMAT JSONEachRow
        """
    }
}
