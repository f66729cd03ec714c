// SPDX-License-Identifier: Apache-2.0

/// Events waiting to be written. Pure; times are monotonic seconds.
struct EventBuffer {
    enum Addition: Equatable {
        /// `wakesWriter`: the writer is asleep and has to be woken.
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
        // The first event starts the timer; the last one of a full batch makes it due at once.
        return .stored(wakesWriter: events.count == 1 || events.count == options.batchCount)
    }

    /// Seconds until something is due: 0 for now, nil if the buffer is empty.
    func secondsToDue(at time: Double, _ options: EventLogOptions) -> Double? {
        guard !events.isEmpty else { return nil }
        guard events.count < options.batchCount else { return 0 }
        return max(firstTime + options.batchTime.inSeconds - time, 0)
    }

    mutating func takeAll() -> [Event] {
        defer { self = EventBuffer() }
        return events
    }
}
