// SPDX-License-Identifier: Apache-2.0

/// Events that wait for the disk, and when they are due. Pure; times are monotonic seconds.
struct EventBuffer {
    enum Addition: Equatable {
        /// The writer sleeps and has to learn of it.
        case stored(wakesWriter: Bool)
        case full
    }

    private(set) var events: [Event] = []
    private var byteCount = 0
    private var firstTime = 0.0

    mutating func append(
        _ event: Event, byteCount size: Int, at time: Double, _ options: EventLogOptions
    ) -> Addition {
        guard events.count < options.waitingLimit,
            byteCount + size <= options.waitingLimitBytes
        else { return .full }
        if events.isEmpty { firstTime = time }
        events.append(event)
        byteCount += size
        // The first one sets the time; the last one of a batch makes it due now.
        return .stored(wakesWriter: events.count == 1 || events.count == options.batchCount)
    }

    /// Seconds until something is due: 0 for now, nil while there is nothing.
    func secondsToDue(at time: Double, _ options: EventLogOptions) -> Double? {
        guard !events.isEmpty else { return nil }
        guard events.count < options.batchCount else { return 0 }
        return max(firstTime + options.batchSeconds - time, 0)
    }

    mutating func takeAll() -> [Event] {
        defer { self = EventBuffer() }
        return events
    }
}
