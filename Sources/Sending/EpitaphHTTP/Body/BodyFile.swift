// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// An open regular file: the one that was checked is sent, whatever has its name later.
package struct BodyFile: Sendable {
    /// What happens to bytes appended after the file was opened.
    package enum Growth: Sendable {
        /// They are not sent, because logs grow.
        case cut
        /// The file is not sent, because a filed report does not change.
        case refused
    }

    package let size: Int
    package let file: FileDescriptor
    private let opened: FileStatus
    private let growth: Growth

    /// Without following a link in the last component. Bytes appended later are not sent.
    package init(opening path: String) throws(TransportError) {
        let file = try rethrowing(FileDescriptor.openForReading(path)) { (error: SystemError) in
            TransportError.bodyUnreadable(reason: error.description)
        }
        try self.init(reading: file, growth: .cut)
    }

    /// Reads an open file without moving its position.
    package init(
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

    package func start(byteCount: Int) -> [UInt8]? {
        try? file.readBytes(count: byteCount, at: 0)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int {
        let count = try rethrowing(file.read(into: buffer, at: offset)) { (error: SystemError) in
            TransportError.bodyUnreadable(reason: error.description)
        }
        try requireUnchanged()
        guard count > 0 else { throw changed("became shorter") }
        return count
    }

    /// Throws if it is shorter or, unless it may grow, changed: by size and modification time.
    package func requireUnchanged() throws(TransportError) {
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
        return try rethrowing(file.fileStatus()) { (error: SystemError) in
            TransportError.bodyUnreadable(reason: error.description)
        }
    }
}

extension BodyFile: Equatable {
    package static func == (one: BodyFile, other: BodyFile) -> Bool {
        one.file === other.file
    }
}
