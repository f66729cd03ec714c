// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Where the bytes of a core file come from. A core may be larger than memory, so it is read in
/// pieces and never as a whole.
package protocol CoreSource {
    /// Of the whole file.
    var byteCount: UInt64 { get }

    /// The bytes from `offset` on; fewer than `count` where the file ends or cannot be read.
    func bytes(at offset: UInt64, count: Int) -> ByteSlice

    /// Why some bytes could not be read, as a clause; nil as long as all could.
    var readProblem: String? { get }
}

/// A core whose bytes are all in memory.
package struct CoreBytes: CoreSource {
    private let slice: ByteSlice

    /// The slice is the whole file.
    package init(_ slice: ByteSlice) {
        self.slice = slice
    }

    package var byteCount: UInt64 { UInt64(slice.count) }

    package func bytes(at offset: UInt64, count: Int) -> ByteSlice {
        slice.slice(from: Int(clamping: offset), length: count)
    }

    package var readProblem: String? { slice.readProblem }
}

/// Why a file cannot be read as a core.
package enum CoreFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It is not an ELF file, or one of another type.
    case notACore
    /// A core, of a kind that is not read: for another processor, of 32 bits.
    case unsupported(String)
    /// The file ends inside a part that is indispensable.
    case truncated(String, offset: UInt64)
    /// A part that is indispensable makes no sense.
    case malformed(String, offset: UInt64)

    package var description: String {
        switch self {
        case .notACore: "this is not a core file"
        case .unsupported(let what): "this core file is \(what), which is not supported"
        case .truncated(let what, let offset):
            "the file ends inside its \(what) at offset \(offset.hex)"
        case .malformed(let what, let offset):
            "\(what) at offset \(offset.hex)"
        }
    }
}
