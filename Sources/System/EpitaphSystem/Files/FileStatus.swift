// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

/// Which file a name or descriptor refers to, stat(2): equal for two names of one file.
package struct FileIdentity: Sendable, Hashable {
    /// st_dev
    package let device: UInt64
    /// st_ino
    package let inode: UInt64

    /// The file of this number on this device.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// Identifies a version of a file's contents: equal as long as the file has not changed. It
/// includes the time of the last status change, which programs cannot set except by setting the
/// clock. Renaming the file changes it, too.
package struct FileStamp: Sendable, Hashable {
    /// Which file it is.
    package let identity: FileIdentity
    /// st_size
    package let sizeBytes: Int
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// st_ctim, nanoseconds since 1970.
    package let changed: Int64

    /// A stamp from its parts; times in nanoseconds since 1970.
    package init(identity: FileIdentity, sizeBytes: Int, modified: Int64, changed: Int64) {
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
package struct FileStatus: Sendable, Equatable {
    /// The type of a file, inode(7).
    package enum Kind: Sendable, Equatable {
        /// `other` is a device, a FIFO or a socket.
        case regular, directory, symbolicLink, other
    }

    /// The type of the file.
    package let kind: Kind
    /// st_size
    package let sizeBytes: Int
    /// What the file occupies on disk, st_blocks: far less than its size if it has holes.
    package let diskBytes: Int
    /// st_mtim
    package let modificationTime: Timestamp
    /// Which file it is.
    package var identity: FileIdentity { stamp.identity }
    /// The version of its contents.
    package let stamp: FileStamp
    /// The permission bits of st_mode.
    package let permissions: UInt32
    /// st_uid
    package let ownerID: UInt32
    /// st_nlink: how many names the file has.
    package let linkCount: Int

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        sizeBytes = Int(status.st_size)
        diskBytes = Int(clamping: status.st_blocks) * 512
        modificationTime = Timestamp(
            secondsSince1970: Double(status.st_mtim.tv_sec)
                + Double(status.st_mtim.tv_nsec) / 1_000_000_000)
        stamp = FileStamp(status)
        permissions = UInt32(status.st_mode & 0o7777)
        ownerID = status.st_uid
        linkCount = Int(clamping: status.st_nlink)
    }
}

extension FileDescriptor {
    /// fstat(2)
    package func fileStatus() throws(SystemError) -> FileStatus {
        FileStatus(try status())
    }

    /// fchmod(2)
    ///
    /// - Parameter bits: whatever the process's umask says.
    package func setPermissions(_ bits: UInt32) throws(SystemError) {
        guard fchmod(rawValue, bits) == 0 else { throw .last("fchmod", path) }
    }
}
