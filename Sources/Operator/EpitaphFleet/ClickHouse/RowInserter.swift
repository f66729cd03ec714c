// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphUpload
import EpitaphValues

/// Inserts records, and waits for a server that cannot take them now. A batch is repeated byte for
/// byte, so that a server can recognise a duplicate; a duplicated row has the same id and counts
/// once.
///
/// For one thread at a time.
package final class RowInserter {
    private let client: ClickHouseClient
    private let clock: any StoppableClock
    private let patienceSeconds: Double
    private let schedule: RetrySchedule
    private let jitter: () -> Double
    private let note: (String) -> Void
    private var table: CrashTable?

    /// - Parameters:
    ///   - clock: for waits; once stopped, nothing is retried.
    ///   - patienceSeconds: how long a failing server is retried.
    ///   - jitter: from 0 to 1, so that the clients of a failed server do not return together.
    ///   - note: takes sentences for people.
    package init(
        _ client: ClickHouseClient, clock: any StoppableClock, patienceSeconds: Double,
        jitter: @escaping () -> Double = { Double.random(in: 0...1) },
        note: @escaping (String) -> Void = { _ in }
    ) {
        self.client = client
        self.clock = clock
        self.patienceSeconds = patienceSeconds
        self.jitter = jitter
        self.note = note
        // As for reports, but without a limit on retries.
        var limits = UploadLimits()
        limits.retryInterval = 1
        limits.retryLimit = .max
        schedule = RetrySchedule(limits)
    }

    /// Reads the table's description early: a wrong address should fail before the work.
    package func prepare() throws(FleetError) {
        _ = try preparedTable()
    }

    /// Returns once the table has the records.
    ///
    /// - Throws: `.notNow` if patience ends, `.refused` if the server refuses. The table may have
    ///   the records then; inserting them again does no harm.
    package func insert(_ records: [CrashRecord]) throws(FleetError) {
        guard !records.isEmpty else { return }
        let table = try preparedTable()
        var rows: [UInt8] = []
        for record in records {
            rows += record.json(table.annotations, columns: table.columns).utf8
            rows.append(UInt8(ascii: "\n"))
        }
        let settings = table.requestSettings(token: Self.token(of: rows))
        let client = client
        try retrying { () throws(ClickHouseFailure) in
            try client.insert(table.statement, rows: rows, settings: settings)
        }
    }

    private func preparedTable() throws(FleetError) -> CrashTable {
        if let table { return table }
        let client = client
        let location = client.location
        let (description, settings) = try retrying { () throws(ClickHouseFailure) in
            (
                try client.answer(to: CrashTable.question(about: location)),
                try client.answer(to: CrashTable.settingsQuestion)
            )
        }
        let found = try CrashTable(location, description: description, settings: settings)
        if let shortfall = found.shortfall { note(shortfall) }
        table = found
        return found
    }

    private func retrying<Value>(
        _ body: () throws(ClickHouseFailure) -> Value
    ) throws(FleetError) -> Value {
        let server = client.location.url.server
        var firstFailure: Double?
        var count = 0
        while true {
            do throws(ClickHouseFailure) {
                let value = try body()
                if count > 0 { note("\(server) works again") }
                return value
            } catch .temporary(let reason, let notBefore) {
                guard !clock.isStopped else { throw .stopped }
                count += 1
                let now = clock.monotonicSeconds()
                let since = firstFailure ?? now
                firstFailure = since
                let wait =
                    schedule.quickDelaySeconds(
                        retry: count, notBeforeSeconds: notBefore, jitter: jitter())
                    ?? RetrySchedule.longestQuickSeconds
                let left = patienceSeconds - (now - since)
                guard left > 0 else { throw .notNow(server: server, reason: reason) }
                if count == 1 { note("\(server): \(reason); it is tried again") }
                clock.wait(seconds: min(wait, left))
                guard !clock.isStopped else { throw .stopped }
            } catch {
                throw FleetError(error, client.location)
            }
        }
    }

    private static func token(of bytes: [UInt8]) -> String {
        "epitaph-\(bytes.count)-" + bytes.withUnsafeBufferPointer { FNV1a($0).hexDigits }
    }
}

extension FleetError {
    package init(_ failure: ClickHouseFailure, _ location: ClickHouseLocation) {
        let server = location.url.server
        switch failure {
        case .temporary(let reason, _): self = .notNow(server: server, reason: reason)
        case .permanent(let reason, let code) where [60, 81].contains(code):
            self = .unsuitableTable(
                "there is no \(location): make it with the statements of docs/fleet.md (\(reason))")
        case .permanent(let reason, _): self = .refused(server: server, reason: reason)
        case .answerTooLong:
            self = .invalidAnswer(server: server, reason: "it is too long")
        }
    }
}
