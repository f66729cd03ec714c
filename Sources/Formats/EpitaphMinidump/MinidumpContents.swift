// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What a minidump contains.
package struct MinidumpContents: Sendable {
    /// The process. Its `damage` lists first what the writer recorded and then what could not be
    /// read.
    package var snapshot: ProcessSnapshot
    /// From CrashpadInfo; nil if that is missing or holds zeros.
    package var reportID: Epitaph.ID?
    /// Which installation the report comes from, from CrashpadInfo; nil if that is missing or holds
    /// zeros.
    package var clientID: Epitaph.ID?
    /// The directory, in file order, without unused entries.
    package var streams: [Stream] = []
    /// What could not be read from this file: a part of `snapshot.damage`. Empty for a complete
    /// minidump.
    package var readingDamage: [Damage] = []

    /// One entry of the directory, MINIDUMP_DIRECTORY.
    package struct Stream: Sendable, Equatable {
        /// What the entry says the stream is; several streams may have one type.
        package var type: StreamType
        /// The size in the entry; the file may end before.
        package var byteCount: Int
    }
}

/// Why bytes cannot be shown as a minidump at all.
package enum MinidumpError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not a minidump, or its beginning is missing.
    case notAMinidump(reason: String)
    /// A minidump, but nothing of it can be shown.
    case beyondRepair(reason: String)

    package var description: String {
        switch self {
        case .notAMinidump(let reason): "not a minidump: \(reason)"
        case .beyondRepair(let reason): "a minidump damaged beyond use: \(reason)"
        }
    }
}
