// SPDX-License-Identifier: Apache-2.0

struct EventFilter: Sendable {
    private let options: SystemEventOptions
    private var windows: [SystemEvent.Kind: Window] = [:]

    private struct Window {
        var start: Double
        var count = 0
        var leftOut = 0
    }

    private static let windowSeconds = 60.0

    init(_ options: SystemEventOptions) {
        self.options = options
    }

    /// Nil if the event is not wanted or over the limit; `seconds` are monotonic.
    mutating func passed(_ event: SystemEvent, seconds: Double) -> SystemEvent? {
        guard options.kinds.contains(event.kind), event.level >= options.leastLevel else {
            return nil
        }
        var window = windows[event.kind] ?? Window(start: seconds)
        if !(seconds >= window.start && seconds - window.start < Self.windowSeconds) {
            window.start = seconds
            window.count = 0
        }
        guard window.count < options.mostPerMinute else {
            window.leftOut += 1
            windows[event.kind] = window
            return nil
        }
        var told = event
        if window.leftOut > 0 {
            told.message += " (\(window.leftOut) more of these before it were left out)"
            told.details["leftOut"] = String(window.leftOut)
        }
        window.count += 1
        window.leftOut = 0
        windows[event.kind] = window
        return told
    }
}
