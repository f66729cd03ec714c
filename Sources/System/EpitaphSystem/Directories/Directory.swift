// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open directory. Operations on its entries go through the descriptor with openat(2) and
/// similar calls, so they happen in this very directory even if its path is renamed or replaced. A
/// symbolic link is never followed.
package final class Directory: Sendable {
    let descriptor: FileDescriptor
    /// Whose rights are used for everything done in here, and in the directories opened from here;
    /// nil for the thread's own.
    package let identity: FileSystemIdentity?
    /// Whether the group of this directory may read what is made in it: only if that was asked for
    /// with `sharedAsItIs`, and this directory's own permissions say so.
    let isShared: Bool

    /// The path that was opened, for messages; correct until the directory is renamed.
    package var path: String { descriptor.path }

    /// Opens a directory; ENOTDIR when the last component is a file or a symbolic link.
    package init(opening path: String) throws(SystemError) {
        descriptor = try FileDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        identity = nil
        isShared = false
    }

    init(
        owning descriptor: FileDescriptor, identity: FileSystemIdentity? = nil,
        isShared: Bool = false
    ) {
        self.descriptor = descriptor
        self.identity = identity
        self.isShared = isShared
    }

    /// The same open directory for work with its owner's rights, if this process has more.
    package func withOwnersRights() throws(SystemError) -> Directory {
        Directory(
            owning: descriptor, identity: try FileSystemIdentity(ownerOf: descriptor))
    }

    /// Whether `withOwnersRights` changes anything.
    package func needsOwnersRights() throws(SystemError) -> Bool {
        try FileSystemIdentity(ownerOf: descriptor) != nil
    }

    /// fstat(2)
    package func fileStatus() throws(SystemError) -> FileStatus { try descriptor.fileStatus() }

    /// Runs `body`, which needs rights to names in here, with `identity`.
    func acting<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        guard let identity else { return try body() }
        return try identity.during(body).get()
    }

    /// mkdir(2): makes the directory, or leaves one that is there as it is. Parents are not made.
    ///
    /// - Returns: whether it was made.
    @discardableResult
    package static func make(_ path: String, mode: UInt32 = 0o700) throws(SystemError) -> Bool {
        guard mkdir(path, mode) != 0 else { return true }
        guard errno == EEXIST else { throw .last("mkdir", path) }
        return false
    }

    /// Opens the directory `name` inside this one. If it is missing it is made, and made safe from
    /// a power failure.
    package func makeAndOpen(_ name: String, mode: UInt32 = 0o700) throws(SystemError) -> Directory
    {
        if try make(name, mode: mode) { try synchronize() }
        return try openDirectory(name)
    }

    /// mkdirat(2): makes the directory `name` inside this one, or leaves one that is there as it
    /// is.
    ///
    /// - Returns: whether it was made.
    @discardableResult
    package func make(_ name: String, mode: UInt32 = 0o700) throws(SystemError) -> Bool {
        try check(name)
        return try acting { () throws(SystemError) in
            // The group and the set-group-ID bit come from this directory, inode(7).
            let shared = isShared && mode == 0o700 ? 0o750 : mode
            guard mkdirat(descriptor.rawValue, name, shared) != 0 else { return true }
            guard errno == EEXIST else { throw .last("mkdirat", path(of: name)) }
            return false
        }
    }

    /// Opens the directory `name` inside this one.
    package func openDirectory(_ name: String) throws(SystemError) -> Directory {
        let opened = Directory(
            owning: try open(name, flags: O_RDONLY | O_DIRECTORY), identity: identity)
        return isShared ? try opened.sharedAsItIs() : opened
    }

    /// The path of `name` inside the directory, for messages.
    package func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : path + "/" + name
    }

    /// fsync(2): what was made, renamed and removed here survives a power failure. EINVAL, from a
    /// file system that cannot do this for directories, is not an error here.
    package func synchronize() throws(SystemError) {
        do {
            try descriptor.synchronize()
        } catch {
            guard error.errorNumber == EINVAL else { throw error }
        }
    }

    /// Like `synchronize` for the parent of this directory, which contains its name. A parent that
    /// must not be opened for reading cannot be synced, which is not an error.
    package func synchronizeParent() throws(SystemError) {
        let parent = try acting { () throws(SystemError) -> FileDescriptor? in
            let opened = retryingInterrupts {
                openat(descriptor.rawValue, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
            guard opened >= 0 else {
                guard errno == EACCES || errno == EPERM else {
                    throw .last("openat", path(of: ".."))
                }
                return nil
            }
            return FileDescriptor(owning: opened, path: path(of: ".."))
        }
        if let parent { try Directory(owning: parent).synchronize() }
    }

    /// openat(2) of a name, close-on-exec and without following a symbolic link.
    func open(_ name: String, flags: Int32, mode: mode_t = 0) throws(SystemError) -> FileDescriptor
    {
        try check(name)
        return try acting { () throws(SystemError) in
            let opened = retryingInterrupts {
                openat(descriptor.rawValue, name, flags | O_CLOEXEC | O_NOFOLLOW, mode)
            }
            guard opened >= 0 else { throw .last("openat", path(of: name)) }
            return FileDescriptor(owning: opened, path: path(of: name))
        }
    }

    /// A name must stay inside the directory: one component, without a NUL.
    func check(_ name: String) throws(SystemError) {
        let isPlain =
            !name.isEmpty && name != "." && name != ".."
            && !name.utf8.contains { $0 == 0 || $0 == 0x2F }
        guard isPlain else {
            throw SystemError(call: "openat", subject: path(of: name), errorNumber: EINVAL)
        }
    }
}
