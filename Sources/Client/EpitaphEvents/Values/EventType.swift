// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The kind of an event; the raw value is `type` in JSON.
    public enum EventType: String, Sendable, CaseIterable, Codable {
        /// An error that the program handled and reported.
        case handledError
        /// A crash of an earlier launch that became a report.
        case crash
        /// A queue or worker that made no progress.
        case hang
        case networkRequest
        /// A WebSocket frame.
        case webSocketFrame
        /// A logged line.
        case log
        /// The program's own life: started, reloaded, stopped.
        case lifecycle
        /// The program entered another phase or route.
        case navigation
        /// The program's own kind of event.
        case custom
        /// A stored value changed.
        case storageChanged
        case memoryWarning
        /// A change of the whole machine.
        case systemBroadcast
        /// The figures of counters and durations.
        case metrics
        case sessionStarted
        case sessionEnded
        /// The share of recent days without errors.
        case errorFree
        /// Events dropped since the last event of this type.
        case eventsDropped
    }
}
