// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open directory. Operations go through the descriptor (openat(2) etc.), so they affect this
/// directory even if its path is renamed. Symbolic links are never followed.
package final class Directory: Sendable {
    let descriptor: FileDescriptor
    /// User whose rights are used here and in subdirectories; nil for the thread's own.
    package let identity: FileSystemIdentity?
    /// Whether the group may read new files: see `sharedAsItIs`; the permissions must allow it.
    let isShared: Bool

    /// The opened path, for messages; correct until the directory is renamed.
    package var path: String { descriptor.path }

    /// Throws ENOTDIR if the last component is a file or symbolic link.
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

    package func withOwnersRights() throws(SystemError) -> Directory {
        Directory(
            owning: descriptor, identity: try FileSystemIdentity(ownerOf: descriptor))
    }

    package func needsOwnersRights() throws(SystemError) -> Bool {
        try FileSystemIdentity(ownerOf: descriptor) != nil
    }

    package func fileStatus() throws(SystemError) -> FileStatus { try descriptor.fileStatus() }

    func acting<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        guard let identity else { return try body() }
        return try identity.during(body).get()
    }

    @discardableResult
    package static func make(_ path: String, mode: UInt32 = 0o700) throws(SystemError) -> Bool {
        guard mkdir(path, mode) != 0 else { return true }
        guard errno == EEXIST else { throw .last("mkdir", path) }
        return false
    }

    package func makeAndOpen(_ name: String, mode: UInt32 = 0o700) throws(SystemError) -> Directory
    {
        if try make(name, mode: mode) { try synchronize() }
        return try openDirectory(name)
    }

    @discardableResult
    package func make(_ name: String, mode: UInt32 = 0o700) throws(SystemError) -> Bool {
        try check(name)
        return try acting { () throws(SystemError) in
            // The group and the set-group-ID bit are inherited from this directory, inode(7).
            let shared = isShared && mode == 0o700 ? 0o750 : mode
            guard mkdirat(descriptor.rawValue, name, shared) != 0 else { return true }
            guard errno == EEXIST else { throw .last("mkdirat", path(of: name)) }
            return false
        }
    }

    package func openDirectory(_ name: String) throws(SystemError) -> Directory {
        let opened = Directory(
            owning: try open(name, flags: O_RDONLY | O_DIRECTORY), identity: identity)
        return isShared ? try opened.sharedAsItIs() : opened
    }

    package func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : path + "/" + name
    }

    /// fsync(2): entries survive power loss. Ignores EINVAL, where directories have no sync.
    package func synchronize() throws(SystemError) {
        do {
            try descriptor.synchronize()
        } catch {
            guard error.errorNumber == EINVAL else { throw error }
        }
    }

    /// Syncs the parent, which has this directory's name, if it can be opened for reading.
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

    /// openat(2), close-on-exec, without following a symbolic link.
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

    /// Rejects names that could leave the directory, and NULs.
    func check(_ name: String) throws(SystemError) {
        let isPlain =
            !name.isEmpty && name != "." && name != ".."
            && !name.utf8.contains { $0 == 0 || $0 == 0x2F }
        guard isPlain else {
            throw SystemError(call: "openat", subject: path(of: name), errorNumber: EINVAL)
        }
    }
}
