// SPDX-License-Identifier: Apache-2.0

/// One line of /proc/PID/maps, proc(5).
package struct MemoryMapping: Sendable, Equatable {
    /// From the first address up to, and without, the end address: whole pages.
    package var addressRange: Range<UInt64>
    /// `r` of its permissions.
    package var isReadable = false
    /// `w` of its permissions.
    package var isWritable = false
    /// `x` of its permissions.
    package var isExecutable = false
    /// True for `s` (MAP_SHARED), false for `p`.
    package var isShared = false
    /// Where in the file it begins, in bytes.
    package var fileOffset: UInt64 = 0
    /// Of the file; 0 for memory without one.
    package var inode: UInt64 = 0
    /// The file's path, a kernel name in brackets, or empty. ` (deleted)` is left on it.
    package var path: String = ""

    /// A mapping without permissions and file.
    package init(addressRange: Range<UInt64>) {
        self.addressRange = addressRange
    }

    /// The kernel allows 65,530 by default: vm.max_map_count, proc_sys_vm(5).
    private static let countLimit = 1 << 18

    /// Parses a whole maps file. Lines that are not of its form are skipped and counted.
    package static func parse(_ maps: ByteSlice) -> (mappings: [MemoryMapping], skippedLines: Int) {
        maps.withUnsafeBytes { bytes in
            var mappings: [MemoryMapping] = []
            var skippedLines = 0
            var rest = bytes[...]
            while !rest.isEmpty {
                let line = rest.prefix { $0 != UInt8(ascii: "\n") }
                rest = rest.dropFirst(line.count + 1)
                guard !line.isEmpty else { continue }
                if mappings.count < countLimit, let mapping = MemoryMapping(line: line) {
                    mappings.append(mapping)
                } else {
                    skippedLines += 1
                }
            }
            return (mappings, skippedLines)
        }
    }

    // "7f12a000-7f12c000 r-xp 00002000 fe:00 1234    /lib/x.so"; a path may hold blanks, and ends
    // at the newline.
    private init?(line: Slice<UnsafeRawBufferPointer>) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count >= 5, fields[1].count == 4 else { return nil }
        let ends = fields[0].split(separator: UInt8(ascii: "-"))
        guard ends.count == 2,
            let start = UInt64(hex: ends[0]), let end = UInt64(hex: ends[1]), start <= end,
            let offset = UInt64(hex: fields[2]),
            let inode = UInt64(String(decoding: fields[4], as: UTF8.self))
        else { return nil }
        let permissions = Array(fields[1])
        addressRange = start..<end
        isReadable = permissions[0] == UInt8(ascii: "r")
        isWritable = permissions[1] == UInt8(ascii: "w")
        isExecutable = permissions[2] == UInt8(ascii: "x")
        isShared = permissions[3] == UInt8(ascii: "s")
        fileOffset = offset
        self.inode = inode
        if fields.count == 6 {
            path = String(
                decoding: fields[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        }
    }
}

extension UInt64 {
    fileprivate init?(hex digits: Slice<UnsafeRawBufferPointer>) {
        self.init(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

/// Bytes of the crashed process and the address they had there.
package struct MemoryRegion: Sendable, Equatable {
    /// Where the first byte was.
    package var address: UInt64
    /// What was there.
    package var bytes: ByteSlice

    /// A region that would wrap around the address space is cut at its end.
    package init(address: UInt64, bytes: ByteSlice) {
        self.address = address
        let room = UInt64.max - address
        self.bytes = UInt64(bytes.count) > room ? bytes.slice(from: 0, length: Int(room)) : bytes
    }

    /// Up to, and without, the address behind the last byte.
    package var addressRange: Range<UInt64> {
        address..<address + UInt64(bytes.count)
    }
}
