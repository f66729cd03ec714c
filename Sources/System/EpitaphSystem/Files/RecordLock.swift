// SPDX-License-Identifier: Apache-2.0

import Glibc

/// POSIX record locks on whole files, fcntl(2) "Advisory record locking".
///
/// Such a lock ends with its process, is visible across pid namespaces of a host, and is not
/// inherited by fork(2). Closing *any* descriptor of the file in that process drops it, and F_GETLK
/// never shows it to its owner. So the owner must not open its file a second time.
package enum RecordLock {
    package struct Holder: Sendable, Equatable {
        /// Nil if the holder is in another pid namespace or on another host.
        package let processID: Int32?
    }

    /// F_SETLK: write-locks the whole file, however long. False if another process holds a lock.
    package static func tryLocking(_ file: FileDescriptor) throws(SystemError) -> Bool {
        var lock = wholeFile(F_WRLCK)
        guard fcntl(file.rawValue, F_SETLK, &lock) != 0 else { return true }
        guard errno == EACCES || errno == EAGAIN else { throw .last("fcntl", file.path) }
        return false
    }

    /// F_GETLK: another process with a lock on the file or `bytes` of it. Throws ENOLCK, ENOSYS,
    /// EINVAL or similar if the file system has no locks.
    package static func holder(
        of file: FileDescriptor, bytes: Range<Int>? = nil
    ) throws(SystemError) -> Holder? {
        var lock = wholeFile(F_WRLCK)
        if let bytes {
            lock.l_start = off_t(bytes.lowerBound)
            lock.l_len = off_t(bytes.count)
        }
        guard fcntl(file.rawValue, F_GETLK, &lock) == 0 else { throw .last("fcntl", file.path) }
        guard Int32(lock.l_type) != F_UNLCK else { return nil }
        return Holder(processID: lock.l_pid > 0 ? lock.l_pid : nil)
    }

    package static func isHeldHere(onFileAt path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return isHeldHere(on: FileStamp(status).identity)
    }

    /// /proc/locks, proc(5). /proc/PID/fdinfo shows only locks taken through that descriptor.
    package static func isHeldHere(on file: FileIdentity) -> Bool {
        guard let bytes = try? FileDescriptor.openForReading("/proc/locks").readAll(limit: 1 << 24)
        else { return false }
        let (ownID, inode) = (String(getpid()), ":\(file.inode)")
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
            // "1: POSIX  ADVISORY  WRITE 4711 fe:00:1234 0 EOF". On some file systems stat(2) has
            // another device.
            let words = line.split(separator: " ")
            return words.count > 5 && words[1] == "POSIX" && words[4] == ownID
                && words[5].hasSuffix(inode)
        }
    }

    private static func wholeFile(_ type: Int32) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        // Start 0 and length 0 mean the whole file, however long.
        return lock
    }
}
