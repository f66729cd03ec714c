// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

/// Opens files whose names an untrusted author chose. docs/decisions/hostile-input.md.
///
/// Opening a device can have side effects, opening a FIFO blocks, and reading some /proc files
/// consumes data, so each file must be a regular file that the kernel does not generate. Follows
/// symbolic links, which shared libraries need.
package enum ForeignFile {
    /// The caller must check the bytes, because the path proves nothing.
    ///
    /// - Throws: EINVAL unless it is a regular file of a real file system, EFBIG above
    ///   `FileBytes.mostBytes`, EISDIR for a directory.
    package static func contents(of path: String) throws(SystemError) -> ByteSlice {
        try FileBytes.contents(of: FileSource(open(path), foreign: path))
    }

    package static func ownedContents(
        of path: String
    ) throws(SystemError) -> (bytes: ByteSlice, ownerID: UInt32) {
        let file = try open(path)
        return (
            try FileBytes.contents(of: FileSource(file, foreign: path)), try file.status().st_uid
        )
    }

    package static func contents(
        of path: String, in root: RootDirectory
    ) throws(SystemError) -> (bytes: ByteSlice, path: String) {
        let file = try open(path, in: root)
        let source = try FileSource(file, foreign: path, in: root)
        return (try FileBytes.contents(of: source), file.path)
    }

    static func open(
        _ path: String, in root: RootDirectory
    ) throws(SystemError) -> FileDescriptor {
        let found = try root.find(path)
        let status = try check(found)
        // The path in this system may lead to another file by now.
        return try reopened(found, status, path: found.path) { () throws(SystemError) in
            throw SystemError(call: "open", subject: found.path, errorNumber: ENOSYS)
        }
    }

    package static func open(
        _ path: String, followsLink: Bool = true
    ) throws(SystemError) -> FileDescriptor {
        // O_PATH, open(2), never blocks and does not open devices.
        let found = try descriptor(
            path, flags: pathOnly | (followsLink ? 0 : O_NOFOLLOW), subject: path)
        let status = try check(found)
        return try reopened(found, status, path: path) { () throws(SystemError) in
            try descriptor(
                path, flags: readOnly | (followsLink ? 0 : O_NOFOLLOW), subject: path)
        }
    }

    /// - Parameter withoutProc: opens it if /proc is not mounted.
    private static func reopened(
        _ found: FileDescriptor, _ status: stat, path: String,
        withoutProc: () throws(SystemError) -> FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        // /proc/PID/fd leads to the very file that was checked, proc(5).
        let file: FileDescriptor
        do throws(SystemError) {
            file = try descriptor(
                "/proc/self/fd/\(found.rawValue)", flags: readOnly, subject: path)
        } catch {
            guard error.errorNumber == ENOENT || error.errorNumber == ENOTDIR else { throw error }
            file = try withoutProc()
        }
        let opened = try check(file)
        guard opened.st_dev == status.st_dev, opened.st_ino == status.st_ino else {
            throw SystemError(call: "open", subject: path, errorNumber: ESTALE)
        }
        return file
    }

    private static let readOnly = O_RDONLY | O_NONBLOCK | O_NOCTTY
    /// O_PATH, asm-generic/fcntl.h
    private static let pathOnly: Int32 = 0o10_000_000

    private static func descriptor(
        _ path: String, flags: Int32, subject: String
    ) throws(SystemError) -> FileDescriptor {
        let descriptor = retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .last("open", subject) }
        return FileDescriptor(owning: descriptor, path: subject)
    }

    private static func check(_ file: FileDescriptor) throws(SystemError) -> stat {
        let status = try file.status()
        var errorNumber: Int32 = 0
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            if try FileSystemKind(of: file).isMadeUp { errorNumber = EINVAL }
            if status.st_size > FileBytes.mostBytes { errorNumber = EFBIG }
        case S_IFDIR: errorNumber = EISDIR
        default: errorNumber = EINVAL
        }
        guard errorNumber == 0 else {
            throw SystemError(call: "open", subject: file.path, errorNumber: errorNumber)
        }
        return status
    }
}
