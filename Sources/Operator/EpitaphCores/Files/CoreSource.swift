// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The bytes of a core file. A core may be larger than memory, so it is read in pieces.
package protocol CoreSource {
    var byteCount: UInt64 { get }

    /// The bytes from `offset` on; fewer than `count` at the end of the file or after a read error.
    func bytes(at offset: UInt64, count: Int) -> ByteSlice

    /// Why some bytes could not be read, as a clause; nil without an error.
    var readProblem: String? { get }
}

package struct CoreBytes: CoreSource {
    private let slice: ByteSlice

    package init(_ slice: ByteSlice) {
        self.slice = slice
    }

    package var byteCount: UInt64 { UInt64(slice.count) }

    package func bytes(at offset: UInt64, count: Int) -> ByteSlice {
        slice.slice(from: Int(clamping: offset), length: count)
    }

    package var readProblem: String? { slice.readProblem }
}

package enum CoreFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not an ELF file, or one of another type.
    case notACore
    /// A core for another processor or of 32 bits.
    case unsupported(String)
    case truncated(String, offset: UInt64)
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
