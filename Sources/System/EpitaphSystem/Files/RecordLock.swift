// SPDX-License-Identifier: Apache-2.0

import Glibc

/// POSIX record locks on whole files, fcntl(2) "Advisory record locking".
///
/// Such a lock belongs to a process: it ends with the process, is visible across pid namespaces of
/// one host and is not inherited by fork(2). Closing *any* descriptor of the file in that process
/// drops it, and the owner itself never sees it with F_GETLK. So the owner must not open its own
/// file a second time.
package enum RecordLock {
    /// The process that holds a lock on a file.
    package struct Holder: Sendable, Equatable {
        /// Nil if the holder's id means nothing here: it is in another pid namespace, or on another
        /// host.
        package let processID: Int32?
    }

    /// F_SETLK: takes the write lock on the whole file, however long it grows. The file must be
    /// open for writing.
    ///
    /// - Returns: false if another process holds a lock on it.
    package static func tryLocking(_ file: FileDescriptor) throws(SystemError) -> Bool {
        var lock = wholeFile(F_WRLCK)
        guard fcntl(file.rawValue, F_SETLK, &lock) != 0 else { return true }
        guard errno == EACCES || errno == EAGAIN else { throw .last("fcntl", file.path) }
        return false
    }

    /// F_GETLK: another process that holds a lock on any part of the file, or of `bytes` of it; nil
    /// if there is none. Locks of the calling process itself are never reported. Throws ENOLCK,
    /// ENOSYS, EINVAL or similar if the file system has no locks.
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

    /// Whether the calling process itself holds a lock on the file at `path`, so that the file must
    /// not be opened. False where that is not known.
    package static func isHeldHere(onFileAt path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return isHeldHere(on: FileStamp(status).identity)
    }

    /// The same of a file that is known: /proc/locks, proc(5). /proc/PID/fdinfo has the locks that
    /// were taken through that very descriptor.
    package static func isHeldHere(on file: FileIdentity) -> Bool {
        guard let bytes = try? FileDescriptor.openForReading("/proc/locks").readAll(limit: 1 << 24)
        else { return false }
        let (ownID, inode) = (String(getpid()), ":\(file.inode)")
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
            // "1: POSIX  ADVISORY  WRITE 4711 fe:00:1234 0 EOF". The device is left out: some file
            // systems have others there than stat(2) says.
            let words = line.split(separator: " ")
            return words.count > 5 && words[1] == "POSIX" && words[4] == ownID
                && words[5].hasSuffix(inode)
        }
    }

    private static func wholeFile(_ type: Int32) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        // Start 0, length 0: from the first byte to the end, wherever that is.
        return lock
    }
}
