// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphValues

extension Epitaph {
    /// A hang began, was reported or ended.
    public struct HangEvent: Sendable, Equatable {
        /// What happened.
        public enum Kind: Sendable, Equatable {
            /// The watched work was silent for longer than its threshold.
            case began
            /// The hang has lasted so long that its dump was made a report.
            case reported
            /// It works again, or is no longer watched.
            case ended
        }

        /// What happened.
        public var kind: Kind
        /// The name of what hangs, for example `main queue`.
        public var name: String
        /// The gettid(2) of the thread that is stuck; nil if it is not known.
        public var threadID: Int32?
        /// How long it has been silent.
        public var silence: Duration
        /// Whether there is a dump of the hang. There is none if the hourly limit was reached, a
        /// debugger is attached, writing failed, or it was discarded.
        public var hasDump: Bool

        /// Creates an event.
        public init(
            kind: Kind, name: String, threadID: Int32?, silence: Duration, hasDump: Bool
        ) {
            self.kind = kind
            self.name = name
            self.threadID = threadID
            self.silence = silence
            self.hasDump = hasDump
        }

        init?(_ event: epitaph_hang_event) {
            switch event.kind {
            case EPITAPH_HANG_EVENT_BEGAN: kind = .began
            case EPITAPH_HANG_EVENT_REPORTED: kind = .reported
            case EPITAPH_HANG_EVENT_ENDED: kind = .ended
            default: return nil
            }
            name = event.name.map { String(cString: $0) } ?? ""
            threadID = event.thread == 0 ? nil : event.thread
            silence = .milliseconds(event.silent_ms)
            hasDump = event.has_dump != 0
        }
    }
}
