// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Memory is scarce.
    public struct MemoryWarningDetails: EventDetails {
        /// How scarce.
        public enum Level: String, Sendable, Codable, CaseIterable {
            /// Work is delayed.
            case warning
            /// The kernel may soon kill a process.
            case critical
        }

        /// How scarce.
        public var level: Level
        /// Where the warning comes from, for example `memory.pressure`.
        public var source: String
        /// Resident memory of this process, in bytes; nil if unknown.
        public var residentBytes: Int?
        /// The memory limit of this process, in bytes; nil if there is none, or none is known.
        public var limitBytes: Int?

        /// A warning and its source.
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
}

extension Epitaph {
    /// Something that happened to the whole machine. Only the types of its details are recorded,
    /// never their values: a locale or a time zone would reveal where a person is.
    public struct SystemBroadcastDetails: EventDetails {
        /// What kind of thing happened.
        public enum Kind: String, Sendable, Codable, CaseIterable {
            /// The locale was changed.
            case locale
            /// The time zone was changed.
            case timeZone
            /// The wall clock was set.
            case clockStep
            /// The machine changed to mains or battery.
            case power
            /// A network link came or went.
            case network
            /// Memory is scarce.
            case memory
            /// The machine slept, or is about to.
            case sleep
            /// Anything else.
            case other
        }

        /// What kind of thing happened.
        public var kind: Kind
        /// The names of its details, each with the name of its type: `text`, `integer`, `number` or
        /// `boolean`.
        public var detailTypes: [String: String]

        /// - Parameters:
        ///   - kind: what kind of thing happened.
        ///   - details: only their names and types are kept.
        public init(_ kind: Kind, details: [String: Epitaph.Value] = [:]) {
            self.kind = kind
            detailTypes = details.mapValues(\.typeName)
        }

        public var byteCount: Int { detailTypes.byteCount }
    }
}
