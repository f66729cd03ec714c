// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Compression of core files by systemd-coredump or people, recognised by the first bytes.
package enum Compression: String, Sendable, CaseIterable {
    /// RFC 8878
    case zstd
    /// The frame format of lz4
    case lz4
    /// The .xz file format
    case xz

    package init?(head: ByteSlice) {
        let bytes = head.slice(from: 0, length: 6).array
        let found = Self.allCases.first { bytes.starts(with: $0.mark) }
        guard let found else { return nil }
        self = found
    }

    private var mark: [UInt8] {
        switch self {
        case .zstd: [0x28, 0xb5, 0x2f, 0xfd]
        case .lz4: [0x04, 0x22, 0x4d, 0x18]
        case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]
        }
    }

    func makeDecoder() throws(DecompressionError) -> any StreamDecoder {
        switch self {
        case .zstd: try ZstdDecoder()
        case .lz4: try LZ4Decoder()
        case .xz: try XZDecoder()
        }
    }
}

package enum DecompressionError: Error, Sendable, CustomStringConvertible {
    case noLibrary(Compression, String)
    /// Reading the file, or creating its decompressed copy, failed.
    case system(SystemError)

    package var description: String {
        switch self {
        case .noLibrary(let compression, let reason):
            "it is compressed by \(compression.rawValue), and the library for that cannot be "
                + "used: \(reason); decompress it first"
        case .system(let error): error.description
        }
    }
}

struct DecodedPiece {
    var consumed: Int
    var produced: Int
    var state: State

    enum State {
        case more
        /// The end of a frame; another one may follow.
        case end
        case failed(String)
    }
}

protocol StreamDecoder: AnyObject {
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecodedPiece
}
