// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

extension Directory {
    /// Opens for reading. O_NONBLOCK, so that a FIFO or device cannot block.
    package func openForReading(_ name: String) throws(SystemError) -> FileDescriptor {
        try open(name, flags: O_RDONLY | O_NONBLOCK)
    }

    /// Creates a file, 0600, or 0640 in a shared directory; throws EEXIST.
    package func create(_ name: String) throws(SystemError) -> FileDescriptor {
        let file = try open(name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        if isShared { try share(file) }
        return file
    }

    /// Opens for reading and writing. With `creating`, creates a missing file as `create` does.
    package func openForWriting(_ name: String, creating: Bool) throws(SystemError)
        -> FileDescriptor
    {
        let flags = O_RDWR | O_NONBLOCK | (creating ? O_CREAT : 0)
        let file = try open(name, flags: flags, mode: 0o600)
        // An existing file may be another user's, and stays closed to the group.
        if creating, isShared { try? share(file) }
        return file
    }

    /// At the end of a regular file, created if missing. O_NONBLOCK, so that a FIFO cannot block.
    package func openForAppending(_ name: String, mode: mode_t) throws(SystemError)
        -> FileDescriptor
    {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK
        let file = try open(name, flags: flags, mode: mode)
        guard try file.fileStatus().kind == .regular else {
            throw SystemError(call: "open", subject: path(of: name), errorNumber: EINVAL)
        }
        return file
    }

    /// fstatat(2) of the entry itself; nil if missing.
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

    /// renameat(2): atomic within a file system; replaces `newName`.
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

    /// Throws EEXIST if the name is taken. Where the file system cannot do that in one step, a file
    /// that appears meanwhile could be replaced.
    package func rename(_ name: String, toFree newName: String) throws(SystemError) {
        try check(name)
        try check(newName)
        let (result, number) = try acting { () throws(SystemError) in
            (epitaph_file_rename_to_free(descriptor.rawValue, name, newName), errno)
        }
        guard result != 0 else { return }
        guard number == EINVAL || number == ENOSYS, try status(of: newName) == nil else {
            throw SystemError(call: "renameat2", subject: path(of: name), errorNumber: number)
        }
        try rename(name, to: self, as: newName)
    }

    @discardableResult
    package func remove(_ name: String) throws(SystemError) -> Bool {
        try unlink(name, flags: 0)
    }

    /// unlinkat(2) with AT_REMOVEDIR. Returns false if there is no such directory.
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

    /// linkat(2): adds a name. Throws EEXIST; never replaces anything.
    package func link(_ name: String, as newName: String) throws(SystemError) {
        try check(name)
        try check(newName)
        try acting { () throws(SystemError) in
            let result = linkat(descriptor.rawValue, name, descriptor.rawValue, newName, 0)
            guard result == 0 else { throw .last("linkat", path(of: name)) }
        }
    }
}

package struct DirectoryListing: Sendable, Equatable {
    package var names: [String] = []
    /// Count of names that are not UTF-8, which Epitaph never creates and leaves alone.
    package var undecodableCount = 0
    package var isComplete = true

    package init() {}
}

extension Directory {
    /// readdir(3), at most `limit` names.
    package func list(limit: Int = .max) throws(SystemError) -> DirectoryListing {
        var listing = DirectoryListing()
        try forEachEntry { name, _ in
            guard let name else {
                listing.undecodableCount += 1
                return true
            }
            listing.isComplete = listing.names.count < limit
            if listing.isComplete { listing.names.append(name) }
            return listing.isComplete
        }
        return listing
    }

    /// readdir(3), without a list of names in memory: a directory may have hundreds of thousands.
    ///
    /// - Parameter body: `isFile` is false, too, where the file system does not say what it is.
    package func forEachName(
        _ body: (_ name: String, _ isFile: Bool) -> Void
    ) throws(SystemError) {
        try forEachEntry { name, isFile in
            if let name { body(name, isFile) }
            return true
        }
    }

    /// - Parameter body: gets nil for a name that is not UTF-8. Returns whether to go on.
    private func forEachEntry(_ body: (String?, _ isFile: Bool) -> Bool) throws(SystemError) {
        // A descriptor of its own, so that listings do not share a position.
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

        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                // At the end errno is still 0.
                guard errno == 0 else { throw .last("readdir", path) }
                return
            }
            let name = name(of: entry)
            guard name != ".", name != ".." else { continue }
            guard body(name, entry.pointee.d_type == UInt8(DT_REG)) else { return }
        }
    }

    private func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        // d_name may exceed its declared 256 bytes, so use its address in the entry.
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let bytes = UnsafeRawPointer(entry).advanced(by: offset)
        return String(validatingCString: bytes.assumingMemoryBound(to: CChar.self))
    }
}
