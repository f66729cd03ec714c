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
        /// A request to another server.
        case networkRequest
        /// A frame of a WebSocket.
        case webSocketFrame
        /// A line that was logged.
        case log
        /// The program's own life: started, reloaded, stopped.
        case lifecycle
        /// The program entered another phase or route.
        case navigation
        /// An event of the program's own kind.
        case custom
        /// Something stored was changed.
        case storageChanged
        /// Memory is scarce.
        case memoryWarning
        /// Something that happened to the whole machine.
        case systemBroadcast
        /// The figures of counters and durations.
        case metrics
        /// A session began.
        case sessionStarted
        /// A session ended.
        case sessionEnded
        /// How much of some days was free of errors.
        case errorFree
        /// How many events were dropped since the last event of this type.
        case eventsDropped
    }
}
