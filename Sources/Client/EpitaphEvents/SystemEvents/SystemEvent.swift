// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A change of the process or of its machine.
    public struct SystemEvent: Sendable, Equatable {
        /// The kind of event. The raw values are used in files and settings.
        public enum Kind: String, Sendable, CaseIterable {
            case started = "started"
            case stopped = "stopped"
            /// The program noted a signal that asks it to end or to do something.
            case signal = "signal"
            /// A network link came, went, or lost or found its carrier.
            case networkLink = "network-link"
            /// The machine changed to battery or mains; a battery is low.
            case powerSupply = "power-supply"
            case clockStep = "clock-step"
            /// The machine's time zone changed.
            case timeZone = "time-zone"
            /// The machine's language changed.
            case locale = "locale"
            /// Memory became scarce, or is no longer scarce.
            case memoryPressure = "memory-pressure"
            /// The program read its configuration again.
            case configuration = "configuration"
            /// A source is not available here. Reported once, at the start.
            case sourceOff = "source-off"
        }

        public var kind: Kind
        public var level: Level
        /// A sentence without a full stop: `network link eth0 is down`.
        public var message: String
        /// The same as names and values: `["link": "eth0", "state": "down"]`.
        public var details: [String: String]

        public init(
            _ kind: Kind, _ level: Level = .info, _ message: String, details: [String: String] = [:]
        ) {
            self.kind = kind
            self.level = level
            self.message = message
            self.details = details
        }
    }

    /// Selects the events to report.
    public struct SystemEventOptions: Sendable, Equatable {
        /// The kinds to report.
        public var kinds = Set(SystemEvent.Kind.allCases)
        /// The lowest level to report.
        public var leastLevel = Epitaph.Level.info
        /// Limit per kind and minute, 1 to 1,000. The next event says how many were left out.
        public var mostPerMinute = 20 {
            didSet { mostPerMinute = min(max(mostPerMinute, 1), 1_000) }
        }

        /// Signals to record as breadcrumbs if `kinds` has `.signal`: only those with the default
        /// action at the start, never one with a handler. See docs/system-events.md.
        public var signals: [Signal] = []
        public static let usualSignals: [Signal] = [.sighup, .sigterm]

        public init() {}

        /// All of `signals`, or none.
        public var wantedSignals: [Signal] {
            kinds.contains(.signal) && leastLevel <= .info ? signals : []
        }
    }
}
