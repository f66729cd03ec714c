// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload
import EpitaphValues

/// opentelemetry/proto/metrics/v1/metrics.proto, in JSON: numbers of 64 bits are texts.
enum OTLPMetrics {
    private static let delta: Int64 = 1
    private static let cumulative: Int64 = 2

    static func metrics(of event: Event) -> [JSONValue] {
        switch event.payload {
        case .metrics(let details):
            details.counters.inKeyOrder.map { name, count in
                // Since the program started, which is the resource's instance.
                sum(name, count.total, cumulative, event)
            }
                + details.durations.inKeyOrder.flatMap { name, figures in
                    durations(name, figures, details.intervalSeconds, event)
                }
        case .sessionEnded(let details):
            [
                sum(
                    "epitaph.sessions", 1, delta, event, from: details.durationSeconds,
                    ["outcome": details.outcome.rawValue]),
                sum(
                    "epitaph.session.handled_errors", UInt64(clamping: details.handledErrors),
                    delta,
                    event, from: details.durationSeconds),
            ]
                + [gauge("epitaph.session.duration", "s", details.durationSeconds, event)]
                .compactMap(\.self)
        case .errorFree(let details):
            [
                gauge("epitaph.crash_free.sessions", "1", details.crashFreeSessions, event),
                gauge("epitaph.crash_free.users", "1", details.crashFreeUsers, event),
                gauge("epitaph.hours", "h", details.hours, event),
                gauge("epitaph.hours_per_crash", "h", details.hoursPerCrash, event),
            ].compactMap(\.self)
        default: []
        }
    }

    private static func durations(
        _ name: String, _ figures: MetricsDetails.Durations, _ interval: Double, _ event: Event
    ) -> [JSONValue] {
        var point = point(event, from: interval)
        point["count"] = .text("\(figures.count)")
        point["sum"] = .number(figures.totalSeconds)
        if let longest = figures.longestSeconds { point["max"] = .number(longest) }
        let histogram = JSONValue.object([
            "name": .text(name), "unit": .text("s"),
            "histogram": .object([
                "dataPoints": .list([.object(point)]), "aggregationTemporality": .integer(delta),
            ]),
        ])
        return [histogram]
            + [
                gauge(name + ".median", "s", figures.medianSeconds, event),
                gauge(name + ".p95", "s", figures.percentile95Seconds, event),
            ].compactMap(\.self)
    }

    private static func sum(
        _ name: String, _ count: UInt64, _ temporality: Int64, _ event: Event,
        from seconds: Double? = nil, _ attributes: [String: String] = [:]
    ) -> JSONValue {
        var point = point(event, from: seconds)
        point["asInt"] = .text("\(min(count, UInt64(Int64.max)))")
        var all = OTLPAttributes()
        all.fill(attributes)
        if !attributes.isEmpty { point["attributes"] = all.json }
        return .object([
            "name": .text(name), "unit": .text("1"),
            "sum": .object([
                "dataPoints": .list([.object(point)]), "isMonotonic": .boolean(true),
                "aggregationTemporality": .integer(temporality),
            ]),
        ])
    }

    /// Nil without a number that JSON has.
    private static func gauge(
        _ name: String, _ unit: String, _ value: Double?, _ event: Event
    ) -> JSONValue? {
        guard let value, value.isFinite else { return nil }
        var point = point(event, from: nil)
        point["asDouble"] = .number(value)
        return .object([
            "name": .text(name), "unit": .text(unit),
            "gauge": .object(["dataPoints": .list([.object(point)])]),
        ])
    }

    private static func point(_ event: Event, from seconds: Double?) -> [String: JSONValue] {
        var point: [String: JSONValue] = [:]
        point["timeUnixNano"] = event.time.unixNanoseconds.map { .text($0) }
        point["startTimeUnixNano"] = seconds.flatMap {
            event.time.adding(seconds: -$0).unixNanoseconds.map { .text($0) }
        }
        return point
    }
}
