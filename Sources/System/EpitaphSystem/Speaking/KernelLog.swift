// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A line of the kernel's log.
package struct KernelMessage: Sendable, Equatable {
    /// After the machine was started.
    package let microseconds: UInt64
    /// What it says.
    package let text: String

    /// A line of that time.
    package init(microseconds: UInt64, text: String) {
        self.microseconds = microseconds
        self.text = text
    }

    /// A record of /dev/kmsg: `6,339,5140900,-;text`, Documentation/ABI/testing/dev-kmsg.
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

/// What the kernel has said and still remembers.
package enum KernelLog {
    /// No more records are read: one is read by each call.
    private static let recordLimit = 100_000
    /// CONSOLE_EXT_LOG_MAX of the kernel's printk.
    private static let recordBytes = 8192

    /// The oldest first; nil where they may not be read (dmesg_restrict). Never waits.
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
                // Overwritten meanwhile: the next read goes on with the oldest there is.
                guard error.errorNumber == EPIPE else { break }
            }
        }
        return messages
    }
}
