// SPDX-License-Identifier: Apache-2.0

/// Figures of the last second and since the last report. Pure: totals and times are passed in.
struct MetricsWindow {
    struct Reading {
        var counters: [String: UInt64] = [:]
        var durations: [String: DurationReading] = [:]
    }

    private var lastReading = Reading()
    private var lastTime: Double
    private var reported = Reading()
    private var reportTime: Double
    private var lastSecond: [String: UInt64] = [:]
    private var busiestSecond: [String: UInt64] = [:]
    private var lastSecondOfDurations: [String: UInt64] = [:]

    init(at time: Double) {
        lastTime = time
        reportTime = time
    }

    /// Spreads an increase over the time since the last reading, so that a late one shows no peak.
    mutating func look(_ reading: Reading, at time: Double) {
        let seconds = max(time - lastTime, 1)
        for (name, total) in reading.counters {
            let grown = total &- (lastReading.counters[name] ?? 0)
            let count = Self.spread(grown, over: seconds)
            lastSecond[name] = count
            busiestSecond[name] = max(busiestSecond[name] ?? 0, count)
        }
        for (name, durations) in reading.durations {
            let grown = durations.count &- (lastReading.durations[name]?.count ?? 0)
            lastSecondOfDurations[name] = Self.spread(grown, over: seconds)
        }
        lastReading = reading
        lastTime = time
    }

    private static func spread(_ count: UInt64, over seconds: Double) -> UInt64 {
        UInt64(min((Double(count) / seconds).rounded(.up), 1e18))
    }

    var details: MetricsDetails {
        var counters: [String: MetricsDetails.Count] = [:]
        for (name, total) in lastReading.counters {
            let sinceLast = total &- (reported.counters[name] ?? 0)
            guard sinceLast > 0 else { continue }
            counters[name] = MetricsDetails.Count(
                total: total, sinceLast: sinceLast, lastSecond: lastSecond[name] ?? 0,
                busiestSecond: busiestSecond[name] ?? 0)
        }
        var durations: [String: MetricsDetails.Durations] = [:]
        for (name, reading) in lastReading.durations {
            let since = reading.since(reported.durations[name] ?? DurationReading())
            guard since.count > 0 else { continue }
            func seconds(_ share: Double) -> Double? {
                DurationBuckets.percentile(share, of: since.counts).map { Double($0) / 1e9 }
            }
            durations[name] = MetricsDetails.Durations(
                count: since.count, lastSecond: lastSecondOfDurations[name] ?? 0,
                totalSeconds: Double(since.nanoseconds) / 1e9, longestSeconds: seconds(1),
                medianSeconds: seconds(0.5), percentile95Seconds: seconds(0.95))
        }
        return MetricsDetails(
            intervalSeconds: max(lastTime - reportTime, 0), counters: counters,
            durations: durations)
    }

    mutating func startReport() {
        reported = lastReading
        reportTime = lastTime
        busiestSecond = [:]
    }
}
