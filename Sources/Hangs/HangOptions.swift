// SPDX-License-Identifier: Apache-2.0

import CEpitaph

/// How hangs are looked for. Values outside of their range become the nearest one inside.
public struct HangOptions: Sendable, Equatable {
    /// How long nothing may be heard before it is a hang, in milliseconds, 100 to 3,600,000; 2,000
    /// unless set.
    public var thresholdMilliseconds = 2_000 {
        didSet { thresholdMilliseconds = Self.thresholds.clamped(thresholdMilliseconds) }
    }
    /// How often heartbeats are looked at and queues are asked, in milliseconds, 50 to 60,000; 500
    /// unless set. A hang is noticed that much later at most.
    public var pollMilliseconds = 500 {
        didSet { pollMilliseconds = Self.polls.clamped(pollMilliseconds) }
    }
    /// How long a hang may last before its dump is a report although the process lives on, in
    /// seconds, 1 to 86,400; 30 unless set.
    public var reportAfterSeconds = 30 {
        didSet { reportAfterSeconds = Self.reportTimes.clamped(reportAfterSeconds) }
    }
    /// How many hangs are captured within an hour, 1 to 32; 6 unless set.
    public var dumpsPerHour = 6 {
        didSet { dumpsPerHour = Self.dumpCounts.clamped(dumpsPerHour) }
    }
    /// Whether the dump of a hang that ends by itself is kept, as a report that says so; not unless
    /// set.
    public var keepsRecovered = false
    /// Whether the main queue is watched; it is unless set. It counts from the first time on that it
    /// does any work: a program that never runs it has no hang there.
    public var watchesMainQueue = true

    /// The defaults.
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
