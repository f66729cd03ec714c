// SPDX-License-Identifier: Apache-2.0

/// Makes a breadcrumb file of any bytes, docs/breadcrumb-file.md: its sizes and checksums are right,
/// and all else is the input's.
enum BreadcrumbSums {
    private static let headerBytes = 256
    private static let entryHeaderBytes = 40
    private static let grainBytes = 64

    static func mended(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        let grains = max((input.count - headerBytes + grainBytes - 1) / grainBytes, 1)
        let size = headerBytes + grains * grainBytes
        bytes += [UInt8](repeating: 0, count: max(size - bytes.count, 0))
        bytes.replaceSubrange(0..<8, with: Array("EPIBRCRM".utf8))
        put(1, 4, at: 8, &bytes)
        put(UInt64(headerBytes), 4, at: 12, &bytes)
        put(UInt64(grains * grainBytes), 8, at: 16, &bytes)
        // Positions near the end of the ring, or the input's own.
        if bytes[143] & 1 == 0 { put(UInt64(grains * grainBytes), 8, at: 128, &bytes) }
        put(sum(bytes[..<80]), 8, at: 80, &bytes)
        for grain in 0..<grains { mendEntry(grain, of: grains, &bytes) }
        return bytes
    }

    private static func mendEntry(_ grain: Int, of grains: Int, _ bytes: inout [UInt8]) {
        let offset = grain * grainBytes
        let start = headerBytes + offset
        let ringBytes = grains * grainBytes
        // Every other input has positions of its own.
        if bytes[start + 37] & 1 == 0 { put(UInt64(offset), 8, at: start + 8, &bytes) }
        let message = Int(bytes[start + 32]) | Int(bytes[start + 33]) << 8
        let category = Int(bytes[start + 34])
        let length = entryHeaderBytes + category + message
        guard length <= ringBytes else { return }
        let entry = (0..<length).map { bytes[headerBytes + (offset + $0) % ringBytes] }
        var checksum = Sum()
        checksum.add(entry[8..<entryHeaderBytes])
        checksum.add(entry[entryHeaderBytes..<(entryHeaderBytes + category)])
        checksum.add(entry[(entryHeaderBytes + category)...])
        put(checksum.value, 8, at: start, &bytes)
    }

    private struct Sum {
        var value: UInt64 = 0x4550_4954_4252_4352

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
                let word = bytes[start..<min(start + 8, bytes.endIndex)].reversed()
                    .reduce(0) { $0 << 8 | UInt64($1) }
                value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
                value ^= value >> 32
            }
        }
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var sum = Sum()
        sum.add(bytes)
        return sum.value
    }

    private static func put(_ value: UInt64, _ count: Int, at place: Int, _ bytes: inout [UInt8]) {
        for byte in 0..<count {
            bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))
        }
    }
}
