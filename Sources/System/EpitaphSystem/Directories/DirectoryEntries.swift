// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files inside a directory, by their plain names.
extension Directory {
    /// Opens `name` for reading. A FIFO or device in its place cannot hang the caller.
    package func openForReading(_ name: String) throws(SystemError) -> FileDescriptor {
        try open(name, flags: O_RDONLY | O_NONBLOCK)
    }

    /// Makes the file `name`, 0600, or 0640 in a directory that is shared with its group; EEXIST if
    /// there is one.
    package func create(_ name: String) throws(SystemError) -> FileDescriptor {
        let file = try open(name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        if isShared { try share(file) }
        return file
    }

    /// Opens `name` for reading and writing. With `creating`, an empty file, 0600 or shared as by
    /// `create`, is made if there is none.
    package func openForWriting(_ name: String, creating: Bool) throws(SystemError)
        -> FileDescriptor
    {
        let flags = O_RDWR | O_NONBLOCK | (creating ? O_CREAT : 0)
        let file = try open(name, flags: flags, mode: 0o600)
        // One that was there may be another user's, and stays closed to the group.
        if creating, isShared { try? share(file) }
        return file
    }

    /// fstatat(2) without following a symbolic link; nil if nothing has that name.
    package func status(of name: String) throws(SystemError) -> FileStatus? {
        try check(name)
        return try acting { () throws(SystemError) in
            var status = stat()
            guard fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                if errno == ENOENT { return nil }
                throw .last("fstatat", path(of: name))
            }
            return FileStatus(status)
        }
    }

    /// renameat(2): atomic within one file system; replaces what had the new name.
    package func rename(
        _ name: String, to other: Directory, as newName: String
    ) throws(SystemError) {
        try check(name)
        try other.check(newName)
        try acting { () throws(SystemError) in
            let result = renameat(
                descriptor.rawValue, name, other.descriptor.rawValue, newName)
            guard result == 0 else { throw .last("renameat", path(of: name)) }
        }
    }

    /// unlinkat(2)
    ///
    /// - Returns: whether there was something to remove.
    @discardableResult
    package func remove(_ name: String) throws(SystemError) -> Bool {
        try unlink(name, flags: 0)
    }

    /// unlinkat(2) with AT_REMOVEDIR: removes an empty directory.
    ///
    /// - Returns: whether there was something to remove.
    @discardableResult
    package func removeDirectory(_ name: String) throws(SystemError) -> Bool {
        try unlink(name, flags: AT_REMOVEDIR)
    }

    private func unlink(_ name: String, flags: Int32) throws(SystemError) -> Bool {
        try check(name)
        return try acting { () throws(SystemError) in
            guard unlinkat(descriptor.rawValue, name, flags) != 0 else { return true }
            guard errno == ENOENT else { throw .last("unlinkat", path(of: name)) }
            return false
        }
    }
}

extension Directory {
    /// linkat(2): a second name for a file; EEXIST if something has that name. Unlike renameat(2)
    /// it never replaces anything.
    package func link(_ name: String, as newName: String) throws(SystemError) {
        try check(name)
        try check(newName)
        try acting { () throws(SystemError) in
            let result = linkat(descriptor.rawValue, name, descriptor.rawValue, newName, 0)
            guard result == 0 else { throw .last("linkat", path(of: name)) }
        }
    }
}

/// The names in a directory at some moment, without `.` and `..`, in the file system's order.
package struct DirectoryListing: Sendable, Equatable {
    /// In the file system's order.
    package var names: [String] = []
    /// Names that are not UTF-8; this program makes none, so they are counted and left alone.
    package var undecodableCount = 0
    /// False when the limit was reached before the end of the directory.
    package var isComplete = true

    /// A listing without names.
    package init() {}
}

extension Directory {
    /// readdir(3), at most `limit` names.
    package func list(limit: Int = .max) throws(SystemError) -> DirectoryListing {
        // Opens its own descriptor, so that listings do not share a position.
        let opened = try acting { () throws(SystemError) in
            let opened = retryingInterrupts {
                openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
            guard opened >= 0 else { throw .last("openat", path) }
            return opened
        }
        guard let stream = fdopendir(opened) else {
            let error = SystemError.last("fdopendir", path)
            Glibc.close(opened)
            throw error
        }
        defer { closedir(stream) }

        var listing = DirectoryListing()
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                // NULL means the end or an error; errno distinguishes them.
                guard errno == 0 else { throw .last("readdir", path) }
                return listing
            }
            guard let name = name(of: entry) else {
                listing.undecodableCount += 1
                continue
            }
            guard name != ".", name != ".." else { continue }
            guard listing.names.count < limit else {
                listing.isComplete = false
                return listing
            }
            listing.names.append(name)
        }
    }

    private func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        // d_name is longer than its declared 256 bytes on some file systems, so its address is
        // computed from that of the entry.
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let bytes = UnsafeRawPointer(entry).advanced(by: offset)
        return String(validatingCString: bytes.assumingMemoryBound(to: CChar.self))
    }
}
