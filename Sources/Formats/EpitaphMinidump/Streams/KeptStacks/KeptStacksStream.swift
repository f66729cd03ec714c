// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A header with counts, then the tables. Texts are Crashpad's MinidumpUTF8String elsewhere in the
/// file, or 0 for none. docs/minidump.md has the fields.
enum KeptStacksStream {
    static let version: UInt32 = 1
    static let subject = "kept stacks"
    static let unknownOffset = UInt64.max

    /// The tables in order, with the size of their records.
    enum Table: Int, CaseIterable {
        case stacks, steps, frames, places, calls, modules, entryBytes

        var recordByteCount: Int {
            switch self {
            case .stacks: 40
            case .steps: 12
            case .frames: 32
            case .places: 16
            case .calls: 40
            case .modules: 24
            case .entryBytes: 1
            }
        }
    }

    enum Flag {
        static let ofCrash: UInt32 = 1
        static let signalFrame: UInt8 = 1
        static let inlined: UInt32 = 1
    }

    enum OmissionKind {
        static let none: UInt8 = 0
        static let stackBytes: UInt8 = 1
        static let tailCall: UInt8 = 2
    }

    /// Version, counts, the offset of the problems' text.
    static let headerByteCount = 4 * (Table.allCases.count + 2)
}
