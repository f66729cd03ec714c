// SPDX-License-Identifier: Apache-2.0

/// Something that happened to the process or to the machine around it.
public struct SystemEvent: Sendable, Equatable {
    /// What sort of thing happened. The raw values are for files and settings.
    public enum Kind: String, Sendable, CaseIterable {
        /// The watch began.
        case started = "started"
        /// The watch ended.
        case stopped = "stopped"
        /// The program was asked to end or to do something: by a signal that it has noted itself,
        /// or by one of `SystemEventOptions.signals` that ended it.
        case signal = "signal"
        /// A network link came, went, or lost or found its carrier.
        case networkLink = "network-link"
        /// The machine runs on battery, or on mains again; a battery is low.
        case powerSupply = "power-supply"
        /// The clock of the time of day was set.
        case clockStep = "clock-step"
        /// The machine's time zone was changed.
        case timeZone = "time-zone"
        /// The machine's language was changed.
        case locale = "locale"
        /// Memory became scarce, or is not any more.
        case memoryPressure = "memory-pressure"
        /// The program has read its configuration again.
        case configuration = "configuration"
        /// One of these sources cannot be had here. Told once, at the start.
        case sourceOff = "source-off"
    }

    /// How much it matters.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// Details.
        case debug = 1
        /// Part of normal work.
        case info = 2
        /// Unusual; may lead to errors.
        case warning = 3

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What sort of thing happened.
    public var kind: Kind
    /// How much it matters.
    public var level: Level
    /// What happened, as a sentence without a full stop: `network link eth0 is down`.
    public var message: String
    /// The same in parts, by name: `["link": "eth0", "state": "down"]`.
    public var details: [String: String]

    /// An event of these parts.
    public init(
        _ kind: Kind, _ level: Level = .info, _ message: String, details: [String: String] = [:]
    ) {
        self.kind = kind
        self.level = level
        self.message = message
        self.details = details
    }
}

/// Which events are wanted.
public struct SystemEventOptions: Sendable, Equatable {
    /// Of these kinds; all unless set.
    public var kinds = Set(SystemEvent.Kind.allCases)
    /// Of this level and those above it; info unless set.
    public var leastLevel = SystemEvent.Level.info
    /// How many of one kind are told within a minute, 1 to 1,000; 20 unless set. The next one says
    /// how many were left out.
    public var mostPerMinute = 20 {
        didSet { mostPerMinute = min(max(mostPerMinute, 1), 1_000) }
    }

    /// Signals that are breadcrumbs when they come, if `kinds` has `.signal`: those among them that
    /// have the default action at the start, because a handler of the program's is never touched.
    /// None unless set. docs/system-events.md says what that changes for a program.
    public var signals: [Int32] = []
    /// SIGHUP and SIGTERM.
    public static let usualSignals: [Int32] = [1, 15]

    /// The defaults.
    public init() {}

    /// Those that are wanted: all of `signals`, or none.
    public var wantedSignals: [Int32] {
        kinds.contains(.signal) && leastLevel <= .info ? signals : []
    }
}
