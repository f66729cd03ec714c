// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension WeekQuestions {
    private var inBefore: String {
        let (start, end) = (span.before.lowerBound, span.before.upperBound)
        return "(time >= toDateTime(\(Int(start.secondsSince1970)), 'UTC') "
            + "AND time < toDateTime(\(Int(end.secondsSince1970)), 'UTC'))"
    }
    private var inBoth: String { "(\(fromStart) OR \(inBefore))" }

    var programs: String {
        """
        SELECT DISTINCT program
        FROM \(table)
        WHERE \(inBoth) AND \(beforeEnd)
        LIMIT \(FleetWeek.mostChanges)
        FORMAT JSONEachRow
        """
    }

    var hostsOfBoth: String {
        """
        SELECT uniqExact(host) AS hosts
        FROM \(table)
        WHERE \(inBoth) AND \(beforeEnd)
        FORMAT JSONEachRow
        """
    }

    var stepsBefore: String {
        let moved = start - Int(span.before.lowerBound.secondsSince1970)
        return """
            SELECT
                intDiv(toUnixTimestamp(time) + \(moved) - \(start), \(span.stepSeconds)) AS step,
                count() AS crashes
            FROM \(table) FINAL
            WHERE \(inBefore) AND \(beforeEnd)
            GROUP BY step
            ORDER BY step
            LIMIT \(span.stepCount)
            FORMAT JSONEachRow
            """
    }

    /// Hours of hosts with a crash, of each signature.
    var changes: String {
        """
        SELECT
            program,
            signature_id,
            any(one_text) AS text,
            sum(one_crashes) AS crashes,
            sum(one_before) AS crashes_before,
            sum(one_hours > 0) AS hosts,
            sum(one_hours) AS hours,
            sum(one_hours_before) AS hours_before,
            max(one_hours) AS most_hours,
            argMax(one_hours_before, toInt64(one_hours) * 4294967296 - one_hours_before)
                AS most_hours_before,
            argMax(one_report, one_latest) AS report,
            min(one_first) % 4294967296 AS first
        FROM
        (
            SELECT
                program,
                signature_id,
                host,
                \(shortText) AS one_text,
                countIf(\(fromStart)) AS one_crashes,
                countIf(\(inBefore)) AS one_before,
                uniqExactIf(toStartOfHour(time), \(fromStart)) AS one_hours,
                uniqExactIf(toStartOfHour(time), \(inBefore)) AS one_hours_before,
                \(latest) AS one_report,
                max(toUnixTimestamp(time) * 1000000 + microseconds) AS one_latest,
                min(\(clocks.order)) AS one_first
            FROM \(table) FINAL
            WHERE \(beforeEnd)
            GROUP BY program, signature_id, host
        )
        GROUP BY program, signature_id
        HAVING crashes > 0
        ORDER BY crashes DESC, program, signature_id
        LIMIT \(FleetWeek.mostChanges)
        FORMAT JSONEachRow
        """
    }

    /// The last gap of each signature between releases, if it came back in the span.
    var gaps: String {
        """
        SELECT
            program,
            signature_id,
            releases[places[gap] + 1] AS gone_in,
            releases[places[gap + 1]] AS back_in,
            arraySum(arraySlice(counts, 1, gap)) AS seen,
            arraySum(arraySlice(totals, 1, places[gap])) AS among,
            arraySum(arraySlice(totals, places[gap] + 1, places[gap + 1] - places[gap] - 1))
                AS others,
            arrayReduce('min', arraySlice(firsts, gap + 1)) % 4294967296 AS back
        FROM
        (
            SELECT
                program,
                signature_id,
                releases,
                totals,
                arraySort(groupArray((indexOf(releases, version), seen_count, seen_first)))
                    AS seen_in,
                arrayMap(one -> tupleElement(one, 1), seen_in) AS places,
                arrayMap(one -> tupleElement(one, 2), seen_in) AS counts,
                arrayMap(one -> tupleElement(one, 3), seen_in) AS firsts,
                arrayFilter(i -> places[i + 1] > places[i] + 1, arrayEnumerate(places))[-1] AS gap
            FROM
            (
                SELECT
                    program,
                    signature_id,
                    version,
                    count() AS seen_count,
                    min(\(clocks.order)) AS seen_first
                FROM \(table) FINAL
                WHERE \(beforeEnd)
                GROUP BY program, signature_id, version
            ) AS seen
            ANY LEFT JOIN
            (
                SELECT
                    program,
                    arraySort(groupArray((first, version, count))) AS sorted,
                    arrayMap(release -> tupleElement(release, 2), sorted) AS releases,
                    arrayMap(release -> tupleElement(release, 3), sorted) AS totals
                FROM
                (
                    SELECT program, version, \(clocks.first) AS first, count() AS count
                    FROM \(table) FINAL
                    WHERE \(beforeEnd)
                    GROUP BY program, version
                )
                GROUP BY program
            ) AS released
            USING (program)
            GROUP BY program, signature_id, releases, totals
        )
        WHERE gap > 0 AND back >= \(start)
        ORDER BY seen DESC, program, signature_id
        LIMIT \(FleetWeek.mostChanges)
        FORMAT JSONEachRow
        """
    }

    /// Whether the table of running hours exists beside that of crashes.
    func hasRunning(_ hours: ClickHouseLocation) -> String {
        "EXISTS TABLE \(hours.qualifiedTable) FORMAT JSONEachRow"
    }

    func running(_ hours: ClickHouseLocation) -> String {
        """
        SELECT
            program,
            sumIf(hours, time >= toDateTime(\(start), 'UTC')) AS now,
            sumIf(hours, \(inBefore)) AS before
        FROM \(hours.qualifiedTable) FINAL
        WHERE \(inBoth) AND time < toDateTime(\(Int(span.end.secondsSince1970)), 'UTC')
        GROUP BY program
        ORDER BY now DESC
        LIMIT \(FleetWeek.mostChanges)
        FORMAT JSONEachRow
        """
    }
}
