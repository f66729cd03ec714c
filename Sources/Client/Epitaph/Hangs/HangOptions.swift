// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// How hangs are detected. Values out of range become the nearest valid value.
    public struct HangOptions: Sendable, Equatable {
        /// How long silence is no hang yet, 100 ms to an hour. The default is 2 s.
        public var threshold = Duration.seconds(2) {
            didSet { threshold = threshold.clamped(to: Self.thresholds) }
        }
        /// How often heartbeats and queues are checked, 50 ms to a minute. The default is 500 ms.
        /// A hang is noticed at most this much later.
        public var pollInterval = Duration.milliseconds(500) {
            didSet {
                pollInterval = pollInterval.clamped(to: .milliseconds(50) ... .seconds(60))
            }
        }
        /// How long a hang may last before its dump becomes a report while the process is still
        /// running, 1 s to a day. The default is 30 s.
        public var reportAfter = Duration.seconds(30) {
            didSet { reportAfter = reportAfter.clamped(to: .seconds(1) ... .seconds(86_400)) }
        }
        /// How many hangs are captured within an hour, 1 to 32. The default is 6.
        public var dumpsPerHour = 6 {
            didSet { dumpsPerHour = dumpsPerHour.clamped(to: Self.dumpCounts) }
        }
        /// Whether to keep the dump of a hang that ends by itself, as a report that says so. The
        /// default is false.
        public var keepsRecovered = false
        /// Whether the main queue is watched. The default is true. The watch begins when the main
        /// queue does its first work: a program that never runs it has no hang there.
        public var watchesMainQueue = true

        /// Options with the defaults.
        public init() {}

        static let thresholds = Duration.milliseconds(100) ... .seconds(3_600)
        static let dumpCounts = 1...32

        var forC: epitaph_hang_options {
            var options = epitaph_hang_options()
            options.size_bytes = UInt32(MemoryLayout<epitaph_hang_options>.size)
            options.poll_ms = UInt32(pollInterval.inMilliseconds)
            options.report_after_ms = UInt32(reportAfter.inMilliseconds)
            options.dumps_per_hour = UInt32(dumpsPerHour)
            options.keeps_recovered = keepsRecovered ? 1 : 0
            return options
        }
    }
}
