// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Why a file cannot be read as a dump. Each description tells people what to do.
package enum IntermediateDumpError: Error, Equatable, CustomStringConvertible {
    case empty
    case notADump(firstByte: UInt8)
    /// Version, architecture or everything after them is missing: cut or damaged very early.
    case nothingRecorded(byteCount: Int)
    /// The value of VERSION; this package reads EPITAPH_DUMP_VERSION.
    case unsupportedVersion(UInt8)
    /// ELF's `e_machine`.
    case unsupportedArchitecture(UInt16)

    package var description: String {
        switch self {
        case .empty:
            "The file is empty: its process ended before it could write anything. Delete the file."
        case .notADump(let firstByte):
            "The file is not an intermediate dump: its first byte, at offset 0x0, is "
                + "\(firstByte.hex) instead of 0x06. Check that it is the right file."
        case .nothingRecorded(let byteCount):
            "The dump was cut or destroyed too early: its \(byteCount) bytes say nothing about a "
                + "process. Delete the file."
        case .unsupportedVersion(let version):
            "The dump has version \(version) of the format and this program reads version 1. "
                + "Convert it with the release of Epitaph that the crashed program uses."
        case .unsupportedArchitecture(let machine):
            "The dump is from a processor this program does not know (ELF machine \(machine)). "
                + "Convert it with a newer release of Epitaph."
        }
    }
}
