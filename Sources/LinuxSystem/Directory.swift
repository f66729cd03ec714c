// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open directory. What happens inside goes through the descriptor, openat(2) and its kin, so it
/// happens in this very directory even while its path is renamed or replaced. A symbolic link is
/// never followed.
public final class Directory: Sendable {
    let descriptor: FileDescriptor
    /// With whose rights everything in here is done, and in the directories opened from here; nil
    /// for the thread's own.
    public let identity: FileSystemIdentity?

    /// The path that was opened; for messages, and correct until the directory is renamed.
    public var path: String { descriptor.path }

    /// Opens a directory; ENOTDIR when the last component is a file or a symbolic link.
    public init(opening path: String) throws(SystemError) {
        descriptor = try FileDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        identity = nil
    }

    init(owning descriptor: FileDescriptor, identity: FileSystemIdentity? = nil) {
        self.descriptor = descriptor
        self.identity = identity
    }

    /// The same open directory for work with its owner's rights, where this process has more.
    public func withOwnersRights() throws(SystemError) -> Directory {
        Directory(
            owning: descriptor, identity: try FileSystemIdentity(ownerOf: descriptor))
    }

    /// Whether `withOwnersRights` changes anything.
    public func needsOwnersRights() throws(SystemError) -> Bool {
        try FileSystemIdentity(ownerOf: descriptor) != nil
    }

    /// fstat(2)
    public func fileStatus() throws(SystemError) -> FileStatus { try descriptor.fileStatus() }

    /// Does what needs a right to a name in here.
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
    public static func make(_ path: String, mode: UInt32 = 0o700) throws(SystemError) -> Bool {
        guard mkdir(path, mode) != 0 else { return true }
        guard errno == EEXIST else { throw .last("mkdir", path) }
        return false
    }

    /// Opens the directory `name` inside this one, making it first when it is missing, and safe
    /// from a power failure.
    public func makeAndOpen(_ name: String, mode: UInt32 = 0o700) throws(SystemError) -> Directory {
        if try make(name, mode: mode) { try synchronize() }
        return try openDirectory(name)
    }

    /// mkdirat(2): makes the directory `name` inside this one, or leaves one that is there as it
    /// is.
    ///
    /// - Returns: whether it was made.
    @discardableResult
    public func make(_ name: String, mode: UInt32 = 0o700) throws(SystemError) -> Bool {
        try check(name)
        return try acting { () throws(SystemError) in
            guard mkdirat(descriptor.rawValue, name, mode) != 0 else { return true }
            guard errno == EEXIST else { throw .last("mkdirat", path(of: name)) }
            return false
        }
    }

    /// Opens the directory `name` inside this one.
    public func openDirectory(_ name: String) throws(SystemError) -> Directory {
        Directory(owning: try open(name, flags: O_RDONLY | O_DIRECTORY), identity: identity)
    }

    /// The path of `name` inside the directory, for sentences.
    public func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : path + "/" + name
    }

    /// fsync(2): what was made, renamed and removed here survives a power failure. A file system
    /// that cannot do this for directories answers EINVAL, which is not an error here.
    public func synchronize() throws(SystemError) {
        do {
            try descriptor.synchronize()
        } catch {
            guard error.errorNumber == EINVAL else { throw error }
        }
    }

    /// As `synchronize` for the directory this one lies in, which keeps its name. A parent that may
    /// not be opened for reading cannot be synced, and that is no error.
    public func synchronizeParent() throws(SystemError) {
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

    /// openat(2) of a plain name, close-on-exec and without following a symbolic link.
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

    /// A name must stay inside the directory: one component, and all of it visible to C.
    func check(_ name: String) throws(SystemError) {
        let isPlain =
            !name.isEmpty && name != "." && name != ".."
            && !name.utf8.contains { $0 == 0 || $0 == 0x2F }
        guard isPlain else {
            throw SystemError(call: "openat", subject: path(of: name), errorNumber: EINVAL)
        }
    }
}
