// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

/// Identifies a file, stat(2): equal for its hard links.
package struct FileIdentity: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// A version of a file's contents. Includes the status change time, which programs cannot set
/// except by setting the clock. A rename changes it, too.
package struct FileStamp: Sendable, Hashable {
    package let identity: FileIdentity
    package let sizeBytes: Int
    package let modified: Int64
    /// st_ctim, nanoseconds since 1970.
    package let changed: Int64

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

package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// `other` is a device, FIFO or socket.
        case regular, directory, symbolicLink, other
    }

    package let kind: Kind
    package let sizeBytes: Int
    /// Allocated on disk, st_blocks: far less than the size if the file has holes.
    package let diskBytes: Int
    package let modificationTime: Timestamp
    package var identity: FileIdentity { stamp.identity }
    package let stamp: FileStamp
    package let permissions: UInt32
    package let ownerID: UInt32
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
    package func fileStatus() throws(SystemError) -> FileStatus {
        FileStatus(try status())
    }

    /// fchmod(2), regardless of the umask.
    package func setPermissions(_ bits: UInt32) throws(SystemError) {
        guard fchmod(rawValue, bits) == 0 else { throw .last("fchmod", path) }
    }
}
