// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

extension OutgoingContent {
    /// The most bytes that are made in memory, a scrubbed minidump's.
    private static let memoryLimit = 64 << 20

    /// As they would be sent; a file is mapped. Throws `.bodyUnreadable` if too many.
    func contents() throws -> ByteSlice {
        switch try opened() {
        case .bytes(let bytes): return bytes
        case .file(let file): return try FileBytes.contents(of: file.file)
        case .reader(let reader):
            guard reader.byteCount <= Self.memoryLimit else {
                throw TransportError.bodyUnreadable(reason: "its minidump is too large")
            }
            var bytes = [UInt8](repeating: 0, count: reader.byteCount)
            try bytes.withUnsafeMutableBytes { room in
                var done = 0
                while done < room.count {
                    done += try reader.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: room[done...]), at: done)
                }
            }
            return ByteSlice(bytes)
        }
    }

    func snapshot() -> ProcessSnapshot? {
        try? MinidumpReader.read(contents()).snapshot
    }
}
