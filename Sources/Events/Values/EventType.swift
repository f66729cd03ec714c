// SPDX-License-Identifier: Apache-2.0

/// What kind of thing happened; the raw value is `type` in JSON.
public enum EventType: String, Sendable, CaseIterable, Codable {
    /// An error that the program handled and reported.
    case handledError
    /// A crash of an earlier launch that became a report.
    case crash
    /// A queue or worker that did not get on.
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
    /// The program's own kind.
    case custom
    /// Something stored was changed.
    case storageChanged
    /// Memory is short.
    case memoryWarning
    /// Something that concerns the whole machine.
    case systemBroadcast
    /// What counters and durations came to.
    case metrics
    /// A session began.
    case sessionStarted
    /// A session ended.
    case sessionEnded
    /// How much went without errors.
    case errorFree
    /// Events that were dropped since the last of these.
    case eventsDropped
}
