// SPDX-License-Identifier: Apache-2.0

package struct MemoryMapping: Sendable, Equatable {
    /// Whole pages.
    package var addressRange: Range<UInt64>
    package var isReadable = false
    package var isWritable = false
    package var isExecutable = false
    package var isShared = false
    package var fileOffset: UInt64 = 0
    package var inode: UInt64 = 0
    /// The file's path, a kernel name in brackets, or empty. Includes ` (deleted)`.
    package var path: String = ""

    package init(addressRange: Range<UInt64>) {
        self.addressRange = addressRange
    }

    /// The kernel allows 65,530 by default: vm.max_map_count, proc_sys_vm(5).
    private static let countLimit = 1 << 18

    /// Parses a whole maps file. Skips and counts malformed lines.
    package static func parse(_ maps: ByteSlice) -> (mappings: [MemoryMapping], skippedLines: Int) {
        maps.withUnsafeBytes { bytes in
            var mappings: [MemoryMapping] = []
            var skippedLines = 0
            var start = 0
            while start < bytes.count {
                var end = start
                while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                start = end + 1
                guard !line.isEmpty else { continue }
                if mappings.count < countLimit, let mapping = MemoryMapping(LineFields(line)) {
                    mappings.append(mapping)
                } else {
                    skippedLines += 1
                }
            }
            return (mappings, skippedLines)
        }
    }

    // "7f12a000-7f12c000 r-xp 00002000 fe:00 1234    /lib/x.so"; a path may contain blanks.
    private init?(_ line: LineFields) {
        var line = line
        guard let start = line.takeHexadecimal(before: UInt8(ascii: "-")),
            let end = line.takeHexadecimal(), start <= end
        else { return nil }
        let permissions = line.takeWord()
        guard permissions.count == 4, let offset = line.takeHexadecimal(),
            // The device.
            !line.takeWord().isEmpty,
            let inode = line.takeDecimal()
        else { return nil }
        addressRange = start..<end
        isReadable = permissions[0] == UInt8(ascii: "r")
        isWritable = permissions[1] == UInt8(ascii: "w")
        isExecutable = permissions[2] == UInt8(ascii: "x")
        isShared = permissions[3] == UInt8(ascii: "s")
        fileOffset = offset
        self.inode = inode
        path = line.remainder
    }
}

/// Memory of the crashed process.
package struct MemoryRegion: Sendable, Equatable {
    package var address: UInt64
    package var bytes: ByteSlice

    /// A region is cut at the end of the address space.
    package init(address: UInt64, bytes: ByteSlice) {
        self.address = address
        let room = UInt64.max - address
        self.bytes = UInt64(bytes.count) > room ? bytes.slice(from: 0, length: Int(room)) : bytes
    }

    package var addressRange: Range<UInt64> {
        address..<address + UInt64(bytes.count)
    }
}
