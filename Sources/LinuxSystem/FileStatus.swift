// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Which file a name or descriptor stands for, stat(2): equal for two names of one file.
public struct FileIdentity: Sendable, Hashable {
    /// st_dev
    public let device: UInt64
    /// st_ino
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// What stat(2) tells about a file, as far as it is needed here.
public struct FileStatus: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        case regular, directory, symbolicLink, other
    }

    public let kind: Kind
    public let sizeBytes: Int
    public let modificationTime: Date
    public let identity: FileIdentity
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
        modificationTime = Date(
            timeIntervalSince1970: Double(status.st_mtim.tv_sec)
                + Double(status.st_mtim.tv_nsec) / 1_000_000_000)
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino))
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
}
