// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Snapshot

/// What a minidump contains.
public struct MinidumpContents: Sendable {
    /// The process. Its `damage` lists first what the writer recorded and then what could not be
    /// read.
    public var snapshot: ProcessSnapshot
    /// From CrashpadInfo; nil if that is missing or holds zeros.
    public var reportID: UUID?
    /// Which installation the report comes from, from CrashpadInfo; nil if that is missing or holds
    /// zeros.
    public var clientID: UUID?
    /// The directory, in file order, without unused entries.
    public var streams: [Stream] = []
    /// What could not be read from this file: a part of `snapshot.damage`. Empty for a complete
    /// minidump.
    public var readingDamage: [Damage] = []

    /// One entry of the directory, MINIDUMP_DIRECTORY.
    public struct Stream: Sendable, Equatable {
        /// What the entry says the stream is; several streams may have one type.
        public var type: StreamType
        /// The size in the entry; the file may end before.
        public var byteCount: Int

        /// Both as in the directory entry.
        public init(type: StreamType, byteCount: Int) {
            self.type = type
            self.byteCount = byteCount
        }
    }
}

/// Why bytes cannot be shown as a minidump at all.
public enum MinidumpError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not a minidump, or its beginning is missing.
    case notAMinidump(reason: String)
    /// A minidump, but nothing of it can be shown.
    case beyondRepair(reason: String)

    public var description: String {
        switch self {
        case .notAMinidump(let reason): "not a minidump: \(reason)"
        case .beyondRepair(let reason): "a minidump damaged beyond use: \(reason)"
        }
    }
}
