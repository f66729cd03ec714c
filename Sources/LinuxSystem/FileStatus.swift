// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Which file a name or descriptor refers to, stat(2): equal for two names of one file.
public struct FileIdentity: Sendable, Hashable {
    /// st_dev
    public let device: UInt64
    /// st_ino
    public let inode: UInt64

    /// The file of this number on this device.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// Identifies a version of a file's contents: equal as long as the file has not changed. It
/// includes the time of the last status change, which programs cannot set except by setting the
/// clock. Renaming the file changes it, too.
public struct FileStamp: Sendable, Hashable {
    /// Which file it is.
    public let identity: FileIdentity
    /// st_size
    public let sizeBytes: Int
    /// Nanoseconds since 1970.
    public let modified: Int64
    /// st_ctim, nanoseconds since 1970.
    public let changed: Int64

    /// A stamp from its parts; times in nanoseconds since 1970.
    public init(identity: FileIdentity, sizeBytes: Int, modified: Int64, changed: Int64) {
        self.identity = identity
        self.sizeBytes = sizeBytes
        self.modified = modified
        self.changed = changed
    }

    init(_ status: stat) {
        func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
        self.init(
            identity: FileIdentity(
                device: UInt64(truncatingIfNeeded: status.st_dev),
                inode: UInt64(truncatingIfNeeded: status.st_ino)),
            sizeBytes: Int(status.st_size), modified: nanoseconds(status.st_mtim),
            changed: nanoseconds(status.st_ctim))
    }
}

/// The parts of stat(2) that are needed here.
public struct FileStatus: Sendable, Equatable {
    /// The type of a file, inode(7).
    public enum Kind: Sendable, Equatable {
        /// `other` is a device, a FIFO or a socket.
        case regular, directory, symbolicLink, other
    }

    /// The type of the file.
    public let kind: Kind
    /// st_size
    public let sizeBytes: Int
    /// What the file occupies on disk, st_blocks: far less than its size if it has holes.
    public let diskBytes: Int
    /// st_mtim
    public let modificationTime: Date
    /// Which file it is.
    public var identity: FileIdentity { stamp.identity }
    /// The version of its contents.
    public let stamp: FileStamp
    /// The permission bits of st_mode.
    public let permissions: UInt32
    /// st_uid
    public let ownerID: UInt32
    /// st_nlink: how many names the file has.
    public let linkCount: Int

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        sizeBytes = Int(status.st_size)
        diskBytes = Int(clamping: status.st_blocks) * 512
        modificationTime = Date(
            timeIntervalSince1970: Double(status.st_mtim.tv_sec)
                + Double(status.st_mtim.tv_nsec) / 1_000_000_000)
        stamp = FileStamp(status)
        permissions = UInt32(status.st_mode & 0o7777)
        ownerID = status.st_uid
        linkCount = Int(clamping: status.st_nlink)
    }
}

extension FileDescriptor {
    /// fstat(2)
    public func fileStatus() throws(SystemError) -> FileStatus {
        FileStatus(try status())
    }

    /// fchmod(2)
    ///
    /// - Parameter bits: whatever the process's umask says.
    public func setPermissions(_ bits: UInt32) throws(SystemError) {
        guard fchmod(rawValue, bits) == 0 else { throw .last("fchmod", path) }
    }
}
