// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Something that happened to the process or to the machine around it.
    public struct SystemEvent: Sendable, Equatable {
        /// What kind of thing happened. The raw values are used in files and settings.
        public enum Kind: String, Sendable, CaseIterable {
            /// The watch began.
            case started = "started"
            /// The watch ended.
            case stopped = "stopped"
            /// The program received a signal that asks it to end or to do something, and noted
            /// that.
            case signal = "signal"
            /// A network link came, went, or lost or found its carrier.
            case networkLink = "network-link"
            /// The machine runs on battery, or on mains again; a battery is low.
            case powerSupply = "power-supply"
            /// The wall clock was set.
            case clockStep = "clock-step"
            /// The machine's time zone was changed.
            case timeZone = "time-zone"
            /// The machine's language was changed.
            case locale = "locale"
            /// Memory became scarce, or is no longer scarce.
            case memoryPressure = "memory-pressure"
            /// The program has read its configuration again.
            case configuration = "configuration"
            /// One of these sources is not available here. Reported once, at the start.
            case sourceOff = "source-off"
        }

        /// What kind of thing happened.
        public var kind: Kind
        /// How important it is.
        public var level: Level
        /// What happened, as a sentence without a full stop: `network link eth0 is down`.
        public var message: String
        /// The same as names and values: `["link": "eth0", "state": "down"]`.
        public var details: [String: String]

        /// Creates an event.
        public init(
            _ kind: Kind, _ level: Level = .info, _ message: String, details: [String: String] = [:]
        ) {
            self.kind = kind
            self.level = level
            self.message = message
            self.details = details
        }
    }
}

extension Epitaph {
    /// Which events are wanted.
    public struct SystemEventOptions: Sendable, Equatable {
        /// Only events of these kinds are reported. The default is all.
        public var kinds = Set(SystemEvent.Kind.allCases)
        /// Only events of this level and above are reported. The default is `info`.
        public var leastLevel = Epitaph.Level.info
        /// How many events of one kind are reported in a minute, 1 to 1,000. The default is 20. The
        /// next event says how many were left out.
        public var mostPerMinute = 20 {
            didSet { mostPerMinute = min(max(mostPerMinute, 1), 1_000) }
        }

        /// Signals that are recorded as breadcrumbs when they arrive, if `kinds` has `.signal`.
        /// Only those that have the default action at the start, because a handler of the program
        /// is never touched. None unless set. docs/system-events.md says what changes for the
        /// program.
        public var signals: [Signal] = []
        /// SIGHUP and SIGTERM.
        public static let usualSignals: [Signal] = [.sighup, .sigterm]

        /// The defaults.
        public init() {}

        /// The wanted signals: all of `signals`, or none.
        public var wantedSignals: [Signal] {
            kinds.contains(.signal) && leastLevel <= .info ? signals : []
        }
    }
}
