// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Snapshot

/// What a minidump says.
public struct MinidumpContents: Sendable {
    /// The process. Its `damage` lists what the writer noted and then what reading missed.
    public var snapshot: ProcessSnapshot
    /// From CrashpadInfo; nil where that is missing or holds zeros.
    public var reportID: UUID?
    public var clientID: UUID?
    /// The directory, in file order, without unused entries.
    public var streams: [Stream] = []
    /// What reading this file missed: a part of `snapshot.damage`. Empty for a complete minidump.
    public var readingDamage: [Damage] = []

    public struct Stream: Sendable, Equatable {
        public var type: StreamType
        public var byteCount: Int

        public init(type: StreamType, byteCount: Int) {
            self.type = type
            self.byteCount = byteCount
        }
    }
}

/// Why bytes cannot be shown as a minidump at all.
public enum MinidumpError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Something else, or the beginning is missing.
    case notAMinidump(reason: String)
    /// A minidump of which nothing is left that could be shown.
    case beyondRepair(reason: String)

    public var description: String {
        switch self {
        case .notAMinidump(let reason): "not a minidump: \(reason)"
        case .beyondRepair(let reason): "a minidump damaged beyond use: \(reason)"
        }
    }
}
