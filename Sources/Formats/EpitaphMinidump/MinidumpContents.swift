// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct MinidumpContents: Sendable {
    /// Its `damage` has first the entries of the writer, then those of the reader.
    package var snapshot: ProcessSnapshot
    /// From CrashpadInfo; nil if missing or zero.
    package var reportID: Epitaph.ID?
    /// Id of the installation, from CrashpadInfo; nil if missing or zero.
    package var clientID: Epitaph.ID?
    package var streams: [Stream] = []
    /// What could not be read: a part of `snapshot.damage`. Empty for a complete minidump.
    package var readingDamage: [Damage] = []

    /// A directory entry, MINIDUMP_DIRECTORY.
    package struct Stream: Sendable, Equatable {
        /// Several streams may have one type.
        package var type: StreamType
        /// As the entry says; the file may end before.
        package var byteCount: Int
    }
}

/// Why nothing of a file can be shown.
package enum MinidumpError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not a minidump, or without its beginning.
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
