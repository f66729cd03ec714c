// SPDX-License-Identifier: Apache-2.0

import ReportUpload

/// How an event log behaves. Values out of range become the nearest that is in it.
public struct EventLogOptions: Sendable, Equatable {
    /// Events that go to the disk together, 1 to 1,000. As soon as so many wait they are written.
    public var batchCount = 50 { didSet { batchCount = batchCount.clamped(1, 1_000) } }
    /// How long an event waits for others before it is written, seconds, 0.01 to 60.
    public var batchSeconds = 0.5 { didSet { batchSeconds = batchSeconds.clamped(0.01, 60) } }
    /// Events that may wait in memory while the disk is slow, 1 to 100,000. More are dropped.
    public var waitingLimit = 1_000 { didSet { waitingLimit = waitingLimit.clamped(1, 100_000) } }
    /// Bytes of text that waiting events may hold, 64 KiB to 256 MiB. More are dropped.
    public var waitingLimitBytes = 4 << 20 {
        didSet { waitingLimitBytes = waitingLimitBytes.clamped(1 << 16, 256 << 20) }
    }
    /// The most one event may hold, in memory and as JSON, bytes, 1 KiB to 1 MiB. A larger one is
    /// dropped.
    public var eventLimitBytes = 64 << 10 {
        didSet { eventLimitBytes = eventLimitBytes.clamped(1 << 10, 1 << 20) }
    }
    /// What events on the disk may take of it, bytes, 64 KiB to 1 TiB. The oldest go first.
    public var diskLimitBytes = 16 << 20 {
        didSet { diskLimitBytes = diskLimitBytes.clamped(1 << 16, 1 << 40) }
    }
    /// How long an event may wait on the disk for the server, seconds, a minute to ten years.
    public var ageLimitSeconds = 7 * 86_400.0 {
        didSet { ageLimitSeconds = ageLimitSeconds.clamped(60, 3_660 * 86_400) }
    }
    /// Events that may wait for a slow observer, for each, 1 to 100,000. More are lost to it.
    public var observerLimit = 1_000 {
        didSet { observerLimit = observerLimit.clamped(1, 100_000) }
    }
    /// Whether name and e-mail address of the user are in events: with that person's consent alone.
    /// Otherwise they go neither to the disk nor to observers.
    public var includesPersonalData = false
    /// Bytes of events that one request carries before compression, 1 KiB to 16 MiB; a batch that
    /// is larger goes alone.
    public var requestBytes = 256 << 10 {
        didSet { requestBytes = requestBytes.clamped(1 << 10, 16 << 20) }
    }
    /// How failed requests are retried, and how many requests go out in a minute: of this only
    /// `retryInterval`, `retryLimit`, `retryBehaviour` and `reportsPerMin` count.
    public var retries = UploadLimits()

    /// The values given above.
    public init() {}
}

extension Comparable {
    fileprivate func clamped(_ low: Self, _ high: Self) -> Self {
        // Not a number is less than nothing and more than nothing.
        self >= low ? min(self, high) : low
    }
}
