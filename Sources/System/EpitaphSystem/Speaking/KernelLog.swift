// SPDX-License-Identifier: Apache-2.0

import Glibc

package struct KernelMessage: Sendable, Equatable {
    /// Since boot.
    package let microseconds: UInt64
    package let text: String

    package init(microseconds: UInt64, text: String) {
        self.microseconds = microseconds
        self.text = text
    }

    /// A /dev/kmsg record, `6,339,5140900,-;text`: Documentation/ABI/testing/dev-kmsg.
    init?(record: [UInt8]) {
        guard let end = record.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let head = record[..<end].split(separator: UInt8(ascii: ","))
        guard head.count >= 3, let time = UInt64(String(decoding: head[2], as: UTF8.self)) else {
            return nil
        }
        let line = record[(end + 1)...].prefix { $0 != 0x0A }
        self.init(microseconds: time, text: String(decoding: line, as: UTF8.self))
    }
}

package enum KernelLog {
    /// Each read(2) returns one record.
    private static let recordLimit = 100_000
    /// CONSOLE_EXT_LOG_MAX of the kernel's printk.
    private static let recordBytes = 8192

    /// Oldest first; nil if not permitted (dmesg_restrict). Never blocks.
    package static func messages() -> [KernelMessage]? {
        guard let file = try? FileDescriptor.openForReading("/dev/kmsg") else { return nil }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: recordBytes, alignment: 1)
        defer { buffer.deallocate() }
        var messages: [KernelMessage] = []
        for _ in 0..<recordLimit {
            do throws(SystemError) {
                let count = try file.read(into: buffer)
                guard count > 0 else { break }
                if let message = KernelMessage(record: Array(buffer[..<count])) {
                    messages.append(message)
                }
            } catch {
                // The record was overwritten; the next read continues with the oldest left.
                guard error.errorNumber == EPIPE else { break }
            }
        }
        return messages
    }
}
