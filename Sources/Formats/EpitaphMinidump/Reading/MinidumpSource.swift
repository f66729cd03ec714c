// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The bytes of a minidump, in memory or read piecemeal from a file.
struct MinidumpSource {
    let byteCount: Int
    private let bytes: (_ offset: Int, _ count: Int) -> ByteSlice

    init(_ bytes: ByteSlice) {
        byteCount = bytes.count
        self.bytes = { bytes.slice(from: $0, length: $1) }
    }

    init(_ pieces: MinidumpPieces) {
        byteCount = pieces.byteCount
        bytes = { pieces.bytes(at: $0, count: $1) }
    }

    func slice(from offset: Int, length: Int) -> ByteSlice { bytes(offset, length) }

    func remainingCount(from offset: Int) -> Int { max(byteCount - offset, 0) }
}

/// A minidump in a file, read piecemeal: a list needs a few kilobytes of each. Limits bound what a
/// hostile file can demand; anything beyond them counts as missing.
package final class MinidumpPieces {
    private static let windowByteCount = 1 << 14
    private static let windowLimit = 8
    private static let pieceLimit = 1 << 20
    private static let totalLimit = 8 << 20

    package let byteCount: Int
    private let read: (_ offset: Int, _ count: Int) -> [UInt8]
    private var left = totalLimit
    /// Cached, because related data is close together. The last used window is at the end.
    private var windows: [(number: Int, bytes: ByteSlice)] = []

    /// - Parameter read: returns bytes from a file offset on, fewer where the file ends or cannot
    ///   be read.
    package init(byteCount: Int, read: @escaping (_ offset: Int, _ count: Int) -> [UInt8]) {
        self.byteCount = byteCount
        self.read = read
    }

    package func bytes(at offset: Int, count: Int) -> ByteSlice {
        let start = min(max(offset, 0), byteCount)
        let wanted = min(max(count, 0), byteCount - start, Self.pieceLimit)
        guard wanted > 0 else { return .empty }
        let number = start / Self.windowByteCount
        guard (start + wanted - 1) / Self.windowByteCount == number else {
            return fetched(start, wanted)
        }
        return window(number).slice(from: start % Self.windowByteCount, length: wanted)
    }

    private func window(_ number: Int) -> ByteSlice {
        if let index = windows.firstIndex(where: { $0.number == number }) {
            windows.append(windows.remove(at: index))
            return windows[windows.count - 1].bytes
        }
        let bytes = fetched(number * Self.windowByteCount, Self.windowByteCount)
        if windows.count == Self.windowLimit { windows.removeFirst() }
        windows.append((number, bytes))
        return bytes
    }

    private func fetched(_ offset: Int, _ count: Int) -> ByteSlice {
        let allowed = min(count, left)
        left -= allowed
        return allowed > 0 ? ByteSlice(read(offset, allowed)) : .empty
    }
}
