// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

/// The service's counters and the contents of its databases, for Prometheus. Thread-safe.
package final class ServiceFigures: Sendable {
    package enum Counter: Sendable, Equatable {
        case filed(kind: String)
        case conversionFailed
        case sent
        case sendFailed(reason: String)
        case removed
    }

    package struct Contents: Sendable, Equatable {
        package struct Group: Sendable, Hashable {
            /// The executable's path; empty if unknown.
            package var program: String
            package var kind: String
            /// `pending`, `requested`, `sent` or `not-sent`.
            package var state: String

            package init(program: String, kind: String, state: String) {
                self.program = program
                self.kind = kind
                self.state = state
            }
        }

        package var reports: [Group: Int] = [:]
        /// Of all minidumps and attachments.
        package var bytes = 0
        package var waiting = 0
        package var oldestWaiting: Timestamp?
        package var lastSuccess: Timestamp?

        package init() {}
    }

    private struct State {
        var counters: [PrometheusSample.Name: Double] = [:]
        var contents: [String: Contents] = [:]
        var crashes: [String: CrashCounts] = [:]
        var lastSuccess: [String: Double] = [:]
    }

    private let state = Mutex(State())
    /// Labels come from names of programs, so an attacker may make any number of them.
    private static let mostCounters = 5_000

    /// - Parameter text: an earlier run's file; its counters continue.
    package init(continuing text: String? = nil) {
        guard let text else { return }
        state.withLock { state in
            for sample in PrometheusSample.samples(in: text) {
                if PrometheusFamily.counters.contains(where: { $0.name == sample.name.family }) {
                    guard state.counters.count < Self.mostCounters else { return }
                    state.counters[sample.name] = sample.value
                } else if sample.name.family == PrometheusFamily.lastSuccess.name,
                    let database = sample.name.labels.first?.value
                {
                    state.lastSuccess[database] = sample.value
                }
            }
        }
    }

    package func add(_ counter: Counter, count: Int = 1, bundleID: String, in database: String) {
        var name = PrometheusSample.Name(counter.family.name, [("database", database)])
        switch counter {
        case .filed(let kind): name.labels += [.init("bundle_id", bundleID), .init("kind", kind)]
        case .conversionFailed: name.labels.append(.init("bundle_id", bundleID))
        case .sendFailed(let reason): name.labels.append(.init("reason", reason))
        case .sent, .removed: break
        }
        state.withLock { state in
            if state.counters[name] == nil, state.counters.count >= Self.mostCounters {
                name.labels = [.init("database", "")]
            }
            state.counters[name, default: 0] += Double(count)
        }
    }

    package func set(_ contents: Contents?, of database: String) {
        state.withLock { state in
            state.contents[database] = contents
            if contents == nil { state.crashes[database] = nil }
            if let time = contents?.lastSuccess?.secondsSince1970 {
                state.lastSuccess[database] = max(
                    time.rounded(.down), state.lastSuccess[database] ?? 0)
            }
        }
    }

    package func set(_ crashes: CrashCounts, of database: String) {
        state.withLock { $0.crashes[database] = crashes }
    }

    package func text(start: Timestamp, now: Timestamp, isUp: Bool = true) -> String {
        let state = state.withLock { $0 }
        var writer = PrometheusWriter()
        writer.family(.up, [([], isUp ? 1 : 0)])
        writer.family(.start, [([], start.secondsSince1970.rounded(.down))])
        writer.family(.heartbeat, [([], now.secondsSince1970.rounded(.down))])
        for family in PrometheusFamily.counters {
            writer.family(
                family,
                state.counters.filter { $0.key.family == family.name }.map {
                    ($0.key.labels, $0.value)
                })
        }
        CrashCounts.write(state.crashes, to: &writer)
        contents(state.contents, &writer)
        writer.family(
            .lastSuccess, state.lastSuccess.map { ([.init("database", $0.key)], $0.value) })
        return writer.text
    }

    private func contents(_ contents: [String: Contents], _ writer: inout PrometheusWriter) {
        func label(_ database: String) -> [PrometheusSample.Label] { [.init("database", database)] }
        writer.family(
            .reports,
            contents.flatMap { database, contents in
                contents.reports.map { group, count in
                    (
                        label(database) + [
                            .init("program", group.program), .init("kind", group.kind),
                            .init("state", group.state),
                        ], Double(count)
                    )
                }
            })
        writer.family(.bytes, contents.map { (label($0.key), Double($0.value.bytes)) })
        writer.family(.waiting, contents.map { (label($0.key), Double($0.value.waiting)) })
        writer.family(
            .oldestWaiting,
            contents.compactMap { database, contents in
                contents.oldestWaiting.map {
                    (label(database), $0.secondsSince1970.rounded(.down))
                }
            })
    }
}

extension ServiceFigures.Counter {
    fileprivate var family: PrometheusFamily {
        switch self {
        case .filed: .filed
        case .conversionFailed: .conversionFailed
        case .sent: .sent
        case .sendFailed: .sendFailed
        case .removed: .removed
        }
    }
}

extension PrometheusFamily {
    static let counters = [filed, conversionFailed, sent, sendFailed, removed]

    static let up = gauge(
        "epitaph_service_up", "1 while the service writes this file, 0 once it has stopped.")
    static let start = gauge("epitaph_service_start_time_seconds", "When the service began.")
    static let heartbeat = gauge(
        "epitaph_service_heartbeat_time_seconds", "When this file was written.")
    static let filed = counter("epitaph_reports_filed_total", "Reports made of dumps.")
    static let conversionFailed = counter(
        "epitaph_conversion_failures_total", "Tries to convert a dump that failed.")
    static let sent = counter("epitaph_reports_sent_total", "Reports that a server took.")
    static let sendFailed = counter(
        "epitaph_send_failures_total", "Reports that were tried and did not arrive, by reason.")
    static let removed = counter(
        "epitaph_reports_removed_total", "Reports removed to keep a database within its limits.")
    static let reports = gauge("epitaph_reports", "Reports in a database.")
    static let bytes = gauge(
        "epitaph_reports_bytes", "Bytes of minidumps and attachments in a database.")
    static let waiting = gauge("epitaph_reports_waiting", "Reports that wait to be sent.")
    static let oldestWaiting = gauge(
        "epitaph_oldest_waiting_report_time_seconds",
        "When the report was filed that waits longest.")
    static let lastSuccess = gauge(
        "epitaph_last_sent_time_seconds", "When a server took a report last.")

    private static func counter(_ name: String, _ help: String) -> PrometheusFamily {
        PrometheusFamily(.counter, name, help)
    }

    private static func gauge(_ name: String, _ help: String) -> PrometheusFamily {
        PrometheusFamily(.gauge, name, help)
    }
}
