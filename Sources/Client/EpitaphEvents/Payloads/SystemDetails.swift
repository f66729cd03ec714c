// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Memory is scarce.
    public struct MemoryWarningDetails: EventDetails {
        /// How scarce memory is.
        public enum Level: String, Sendable, Codable, CaseIterable {
            /// Work is delayed.
            case warning
            /// The kernel may soon kill a process.
            case critical
        }

        public var level: Level
        /// Origin of the warning, for example `memory.pressure`.
        public var source: String
        /// Resident memory of this process, in bytes; nil if unknown.
        public var residentBytes: Int?
        /// Memory limit of this process, in bytes; nil if none is known.
        public var limitBytes: Int?

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

    /// A change of the whole machine. Only the types of its details are recorded, never values: a
    /// locale or a time zone would reveal where a person is.
    public struct SystemBroadcastDetails: EventDetails {
        public enum Kind: String, Sendable, Codable, CaseIterable {
            case locale
            case timeZone
            /// The wall clock was set.
            case clockStep
            /// Switched between mains and battery.
            case power
            /// A network link came or went.
            case network
            case memory
            /// The machine slept, or is about to.
            case sleep
            case other
        }

        public var kind: Kind
        /// Names of the details, each with its type: `text`, `integer`, `number` or `boolean`.
        public var detailTypes: [String: String]

        /// - Parameter details: only names and types are kept.
        public init(_ kind: Kind, details: [String: Epitaph.Value] = [:]) {
            self.kind = kind
            detailTypes = details.mapValues(\.typeName)
        }

        public var byteCount: Int { detailTypes.byteCount }
    }
}
