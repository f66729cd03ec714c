// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

package struct ScratchFile: Sendable {
    package let descriptor: FileDescriptor

    /// Zero blocks of this size are left as holes.
    private static let block = 1 << 16
    /// O_TMPFILE, open(2): __O_TMPFILE | O_DIRECTORY, and O_DIRECTORY differs by processor.
    private static let temporaryFlag: Int32 = 0o20_000_000 | O_DIRECTORY

    package init(owning descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// In `$TMPDIR` or /var/tmp; /tmp may be memory, file-hierarchy(7).
    package init() throws(SystemError) {
        let directory = CurrentProcess.environmentVariable("TMPDIR") ?? "/var/tmp"
        try self.init(in: realPath(of: directory))
    }

    package init(in directory: String) throws(SystemError) {
        do throws(SystemError) {
            descriptor = try FileDescriptor.open(
                directory, flags: O_RDWR | Self.temporaryFlag, mode: 0o600)
        } catch {
            // Unsupported by some file systems, open(2): EOPNOTSUPP, or EISDIR from old kernels.
            guard error.isUnsupported || error.errorNumber == EISDIR else { throw error }
            let name = directory + "/epitaph-" + String(UInt64.random(in: 0 ... .max), radix: 16)
            descriptor = try FileDescriptor.create(name)
            guard unlink(name) == 0 else { throw .last("unlink", name) }
        }
    }

    /// Writes bytes at an offset, leaving zero blocks as holes. Returns the bytes written.
    package func write(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        var written = 0
        for start in stride(from: 0, to: bytes.count, by: Self.block) {
            let part = UnsafeRawBufferPointer(
                rebasing: bytes[start..<min(start + Self.block, bytes.count)])
            guard !Self.isZero(part) else { continue }
            try writeAll(part, at: Int(clamping: offset) + start)
            written += part.count
        }
        return written
    }

    package func setSize(_ byteCount: UInt64) throws(SystemError) {
        guard ftruncate(descriptor.rawValue, Int(clamping: byteCount)) == 0 else {
            throw .last("ftruncate", descriptor.path)
        }
    }

    static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first, first == 0, let start = bytes.baseAddress else {
            return bytes.isEmpty
        }
        return memcmp(start, start + 1, bytes.count - 1) == 0
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = retryingInterrupts {
                pwrite(
                    descriptor.rawValue, bytes.baseAddress! + done, bytes.count - done,
                    offset + done)
            }
            guard count > 0 else {
                throw count < 0
                    ? .last("pwrite", descriptor.path)
                    : SystemError(call: "pwrite", subject: descriptor.path, errorNumber: EIO)
            }
            done += count
        }
    }
}
