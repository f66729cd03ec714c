// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Memory is short.
public struct MemoryWarningDetails: EventDetails {
    /// How short.
    public enum Level: String, Sendable, Codable, CaseIterable {
        /// Work is delayed.
        case warning
        /// The kernel may soon kill a process.
        case critical
    }

    /// How short.
    public var level: Level
    /// Where the warning comes from, for example `memory.pressure`.
    public var source: String
    /// What this process holds, bytes; nil if unknown.
    public var residentBytes: Int?
    /// What it may hold, bytes; nil where there is no limit, or none is known.
    public var limitBytes: Int?

    /// A warning and what it came from.
    public init(
        level: Level, source: String, residentBytes: Int? = nil, limitBytes: Int? = nil
    ) {
        self.level = level
        self.source = source
        self.residentBytes = residentBytes
        self.limitBytes = limitBytes
    }

    public var byteCount: Int { source.utf8.count }
}

/// Something that concerns the whole machine. It has the types of the details and never their
/// values: a locale or a time zone gives away where a person is.
public struct SystemBroadcastDetails: EventDetails {
    /// What was broadcast.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Another locale.
        case locale
        /// Another time zone.
        case timeZone
        /// The time of day was set.
        case clockStep
        /// Mains or battery.
        case power
        /// A network link came or went.
        case network
        /// Memory is short.
        case memory
        /// The machine slept, or is about to.
        case sleep
        /// Any other.
        case other
    }

    /// What was broadcast.
    public var kind: Kind
    /// The names of its details, each with the name of its type: `text`, `integer`, `number` or
    /// `boolean`.
    public var detailTypes: [String: String]

    /// - Parameters:
    ///   - kind: what was broadcast.
    ///   - details: of these only the names and types are kept.
    public init(_ kind: Kind, details: [String: EventValue] = [:]) {
        self.kind = kind
        detailTypes = details.mapValues(\.typeName)
    }

    public var byteCount: Int { detailTypes.byteCount }
}
