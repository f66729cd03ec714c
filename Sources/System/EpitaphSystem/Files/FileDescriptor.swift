// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphValues
import Glibc

/// Closed with the last reference. Opened close-on-exec, without following a final symbolic link.
package final class FileDescriptor: Sendable {
    package let rawValue: Int32
    package let path: String

    package init(owning rawValue: Int32, path: String) {
        self.rawValue = rawValue
        self.path = path
    }

    deinit {
        _ = Glibc.close(rawValue)
    }

    /// open(2) for reading. O_NONBLOCK, so that a FIFO cannot block.
    package static func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, flags: O_RDONLY | O_NONBLOCK, mode: 0)
    }

    package static func create(_ path: String, mode: mode_t = 0o600) throws(SystemError)
        -> FileDescriptor
    {
        try open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode)
    }

    /// open(2) with O_CLOEXEC and O_NOFOLLOW added to `flags`.
    package static func open(_ path: String, flags: Int32, mode: mode_t) throws(SystemError)
        -> FileDescriptor
    {
        let descriptor = retryingInterrupts {
            Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
        }
        guard descriptor >= 0 else { throw .last("open", path) }
        return FileDescriptor(owning: descriptor, path: path)
    }

    package func status() throws(SystemError) -> stat {
        var status = stat()
        guard fstat(rawValue, &status) == 0 else { throw .last("fstat", path) }
        return status
    }

    package var birth: Timestamp? {
        let seconds = epitaph_file_birth(rawValue)
        return seconds < 0 ? nil : Timestamp(secondsSince1970: Double(seconds))
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = retryingInterrupts { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last("read", path) }
        return count
    }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        let count = retryingInterrupts { pread(rawValue, buffer.baseAddress, buffer.count, offset) }
        guard count >= 0 else { throw .last("pread", path) }
        return count
    }

    package func readAll(limit: Int = .max) throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { chunk.deallocate() }
        while contents.count < limit {
            let wanted = min(chunk.count, limit - contents.count)
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted]))
            guard count > 0 else { break }
            contents.append(contentsOf: chunk[..<count])
        }
        return contents
    }

    package func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = retryingInterrupts { Glibc.write(rawValue, part.baseAddress, part.count) }
            guard count > 0 else {
                throw count < 0
                    ? .last("write", path)
                    : SystemError(call: "write", subject: path, errorNumber: EIO)
            }
            rest = rest.dropFirst(count)
        }
    }

    package func synchronize() throws(SystemError) {
        guard retryingInterrupts({ fsync(rawValue) }) == 0 else { throw .last("fsync", path) }
    }
}

package struct FileSink: ByteSink {
    private let file: FileDescriptor

    package init(_ file: FileDescriptor) {
        self.file = file
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try file.writeAll(bytes)
    }
}
