// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

/// One sync for everything written to a file system.
extension Directory {
    /// syncfs(2). Since Linux 5.8 it reports every failed write to the file system since the
    /// descriptor was opened. Returns false and does nothing before 5.8, and on file systems not
    /// known to write everything (FUSE does not pass it to its server).
    package func synchronizeFileSystem() throws(SystemError) -> Bool {
        guard Self.isErrorReported, try FileSystemKind(of: descriptor).isSyncedWhole else {
            return false
        }
        let result = retryingInterrupts { epitaph_file_system_synchronize(descriptor.rawValue) }
        guard result == 0 else {
            throw .last("syncfs", path)
        }
        return true
    }

    /// Linux 5.8 or later.
    private static let isErrorReported: Bool = {
        var name = utsname()
        guard uname(&name) == 0 else { return false }
        let release = withUnsafeBytes(of: name.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let numbers = release.split(whereSeparator: { !$0.isASCII || !$0.isNumber }).prefix(2)
            .compactMap { Int($0) }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) >= (5, 8)
    }()
}

extension ProcFileSystem {
    /// Dirty bytes of the whole host, proc_meminfo(5); nil if unknown.
    package func unwrittenByteCount() -> Int? {
        guard let lines = try? contents(of: "meminfo", limit: 1 << 16) else { return nil }
        var kilobytes: Int?
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            let name = words.first.map { String(decoding: $0, as: UTF8.self) }
            guard name == "Dirty:" || name == "Writeback:", words.count > 1,
                let number = Int(String(decoding: words[1], as: UTF8.self))
            else { continue }
            kilobytes = (kilobytes ?? 0) + number
        }
        return kilobytes.map { $0.multipliedReportingOverflow(by: 1024).partialValue }
    }
}

extension FileSystemKind {
    /// Whether syncfs(2) is known to write everything to disk.
    fileprivate var isSyncedWhole: Bool { Self.syncedWhole.contains(magic) }

    private static let syncedWhole: Set<UInt32> = [
        0xef53,  // ext2, ext3, ext4
        0x5846_5342,  // XFS
        0x9123_683e,  // Btrfs
        0xf2f5_2010,  // F2FS
        0x0102_1994,  // tmpfs
    ]
}
