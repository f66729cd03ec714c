// SPDX-License-Identifier: Apache-2.0

/// What is done about memory that becomes scarce.
public enum MemoryMode: Sendable, Equatable, CaseIterable {
    /// Nothing is watched.
    case none
    /// Warnings, and a provisional dump of the thread that watches: what the process looked like,
    /// in a file of some hundred KiB.
    case light
    /// Warnings, and a provisional dump of all threads.
    case full
}

/// How memory is watched. Values outside of their range become the nearest one inside.
public struct MemoryOptions: Sendable, Equatable {
    /// What is done; light unless set.
    public var mode = MemoryMode.light
    /// From which values on memory is scarce.
    public var marks = PressureJudge.Marks()
    /// How often to look where the kernel does not say when, in seconds, 0.1 to 60; 1 unless set.
    public var pollSeconds = 1.0 {
        didSet { pollSeconds = min(max(pollSeconds, 0.1), 60) }
    }
    /// How many dumps are taken within an hour, 1 to 32; 6 unless set. Further warnings come
    /// without.
    public var dumpsPerHour = 6 {
        didSet { dumpsPerHour = min(max(dumpsPerHour, 1), 32) }
    }

    /// The defaults.
    public init() {}
}

/// A warning, or its end.
public struct MemoryEvent: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// Memory is scarce from now on; why, as a clause.
        case began(cause: String)
        /// It is not any more.
        case ended
    }

    /// What happened.
    public var kind: Kind
    /// How things stood.
    public var reading: MemoryReading
    /// Whether there is a provisional dump of this warning.
    public var hasDump: Bool

    /// An event of these parts.
    public init(kind: Kind, reading: MemoryReading, hasDump: Bool) {
        self.kind = kind
        self.reading = reading
        self.hasDump = hasDump
    }
}
