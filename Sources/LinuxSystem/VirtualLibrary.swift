// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The ELF image the kernel maps into every process, vdso(7).
public enum VirtualLibrary {
    /// A copy of this process's own; nil where there is none, or /proc cannot be read.
    public static func image() -> ByteSlice? {
        guard let file = try? FileDescriptor.openForReading("/proc/self/maps"),
            let maps = try? file.readAll()
        else { return nil }
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasSuffix(" [vdso]") }) else { return nil }
        let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap {
            UInt($0, radix: 16)
        }
        guard ends.count == 2, ends[0] < ends[1],
            let start = UnsafeRawPointer(bitPattern: ends[0])
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(ends[1] - ends[0]))
        return ByteSlice(Array(bytes))
    }
}
