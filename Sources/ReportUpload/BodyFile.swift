// SPDX-License-Identifier: Apache-2.0

import Bytes
import LinuxSystem

/// A regular file that is open. What was looked at when it was opened is what is sent: its name may
/// stand for another file by then, and is not asked again.
public struct BodyFile: Sendable {
    /// What becomes of what is written behind the end the file had when it was opened.
    public enum Growth: Sendable {
        /// It is not sent: a log grows.
        case cut
        /// The file is not sent: what is filed stays as it is, or is something else.
        case refused
    }

    /// In bytes, when it was opened.
    public let size: Int
    let file: FileDescriptor
    private let opened: FileStatus
    private let growth: Growth

    /// Opens a file that a person named, without following a symbolic link in the last component of
    /// its path. What it grows by from now on is not sent.
    public init(opening path: String) throws(TransportError) {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.openForReading(path)
        } catch {
            throw .bodyUnreadable(reason: error.description)
        }
        try self.init(reading: file, growth: .cut)
    }

    /// Reads a file that is open already, without moving its position.
    public init(
        reading file: FileDescriptor, growth: Growth = .refused
    ) throws(TransportError) {
        opened = try Self.status(of: file)
        guard opened.kind == .regular else {
            throw .bodyUnreadable(reason: "\(file.path) is not a regular file")
        }
        self.file = file
        self.growth = growth
        size = opened.sizeBytes
    }

    /// The first bytes; nil when they cannot be read.
    func start(byteCount: Int) -> [UInt8]? {
        try? file.readBytes(count: byteCount, at: 0)
    }

    /// Reads at least one byte; `buffer` is not empty and ends inside the file as it was opened.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int {
        let count: Int
        do {
            count = try file.read(into: buffer, at: offset)
        } catch {
            throw .bodyUnreadable(reason: error.description)
        }
        try requireUnchanged()
        guard count > 0 else { throw changed("became shorter") }
        return count
    }

    /// Throws if the file is no longer what was opened, judged by its size and the time of its
    /// last change, asked of the descriptor.
    func requireUnchanged() throws(TransportError) {
        let now = try Self.status(of: file)
        guard now.sizeBytes >= size else { throw changed("became shorter") }
        guard growth == .refused else { return }
        guard now.sizeBytes == size else { throw changed("became longer") }
        guard now.modificationTime == opened.modificationTime else {
            throw changed("was written to")
        }
    }

    private func changed(_ what: String) -> TransportError {
        .bodyUnreadable(reason: "\(file.path) \(what) while it was being sent")
    }

    private static func status(of file: FileDescriptor) throws(TransportError) -> FileStatus {
        do {
            return try file.fileStatus()
        } catch {
            throw .bodyUnreadable(reason: error.description)
        }
    }
}

extension BodyFile: Equatable {
    /// The same open file.
    public static func == (one: BodyFile, other: BodyFile) -> Bool {
        one.file === other.file
    }
}
