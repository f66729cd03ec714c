// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// How hangs are detected. Values out of range become the nearest valid value.
    public struct HangOptions: Sendable, Equatable {
        /// How long something may be silent before that counts as a hang, in milliseconds, 100 to
        /// 3,600,000. The default is 2,000.
        public var thresholdMilliseconds = 2_000 {
            didSet { thresholdMilliseconds = thresholdMilliseconds.clamped(to: Self.thresholds) }
        }
        /// How often heartbeats and queues are checked, in milliseconds, 50 to 60,000. The default
        /// is 500. A hang is noticed at most this much later.
        public var pollMilliseconds = 500 {
            didSet { pollMilliseconds = pollMilliseconds.clamped(to: Self.polls) }
        }
        /// How long a hang may last before its dump becomes a report although the process is still
        /// running, in seconds, 1 to 86,400. The default is 30.
        public var reportAfterSeconds = 30 {
            didSet { reportAfterSeconds = reportAfterSeconds.clamped(to: Self.reportTimes) }
        }
        /// How many hangs are captured within an hour, 1 to 32. The default is 6.
        public var dumpsPerHour = 6 {
            didSet { dumpsPerHour = dumpsPerHour.clamped(to: Self.dumpCounts) }
        }
        /// Whether the dump of a hang that ends by itself is kept, as a report that says so. The
        /// default is false.
        public var keepsRecovered = false
        /// Whether the main queue is watched. The default is true. The watch begins when the main
        /// queue does its first work: a program that never runs it has no hang there.
        public var watchesMainQueue = true

        /// Options with the defaults.
        public init() {}

        static let thresholds = 100...3_600_000
        static let polls = 50...60_000
        static let reportTimes = 1...86_400
        static let dumpCounts = 1...32

        var forC: epitaph_hang_options {
            var options = epitaph_hang_options()
            options.size_bytes = UInt32(MemoryLayout<epitaph_hang_options>.size)
            options.poll_ms = UInt32(pollMilliseconds)
            options.report_after_ms = UInt32(reportAfterSeconds) * 1_000
            options.dumps_per_hour = UInt32(dumpsPerHour)
            options.keeps_recovered = keepsRecovered ? 1 : 0
            return options
        }
    }
}
