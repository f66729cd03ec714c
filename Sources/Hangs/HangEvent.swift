// SPDX-License-Identifier: Apache-2.0

import CEpitaph

/// What became of something that hangs.
public struct HangEvent: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// It has been silent for its threshold.
        case began
        /// It has been silent for so long that its dump is a report now.
        case reported
        /// It goes on, or is not watched any more.
        case ended
    }

    /// What happened.
    public var kind: Kind
    /// The name of what hangs: `main queue`.
    public var name: String
    /// The thread that is stuck, gettid(2); nil where it is not known.
    public var threadID: Int32?
    /// How long nothing was heard of it, in milliseconds.
    public var silentMilliseconds: UInt64
    /// Whether there is a dump of it: not beyond the limit of dumps an hour, not under a debugger,
    /// not when none could be written, nor once it was thrown away.
    public var hasDump: Bool

    /// An event of these parts.
    public init(
        kind: Kind, name: String, threadID: Int32?, silentMilliseconds: UInt64, hasDump: Bool
    ) {
        self.kind = kind
        self.name = name
        self.threadID = threadID
        self.silentMilliseconds = silentMilliseconds
        self.hasDump = hasDump
    }

    /// Nil for a kind that this version does not know.
    init?(_ event: epitaph_hang_event) {
        switch event.kind {
        case EPITAPH_HANG_EVENT_BEGAN: kind = .began
        case EPITAPH_HANG_EVENT_REPORTED: kind = .reported
        case EPITAPH_HANG_EVENT_ENDED: kind = .ended
        default: return nil
        }
        name = event.name.map { String(cString: $0) } ?? ""
        threadID = event.thread == 0 ? nil : event.thread
        silentMilliseconds = event.silent_ms
        hasDump = event.has_dump != 0
    }
}
