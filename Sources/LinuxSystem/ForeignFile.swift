// SPDX-License-Identifier: Apache-2.0

import Bytes
import Glibc

/// Files whose names come from a report or from debug information, whose author chose them.
/// docs/decisions/what-a-dump-names.md.
///
/// Opening a device can already do something, a FIFO waits, and reading some files of /proc takes
/// away what is read. So it is found out what is there before it is opened: a regular file, and not
/// one that the kernel makes up. Symbolic links are followed, as those of shared libraries must be.
public enum ForeignFile {
    /// The file's bytes, for contents that are checked by other means than their place.
    ///
    /// - Throws: EINVAL for anything but a regular file of a real file system, EFBIG for one that
    ///   is larger than `FileBytes.mostBytes`, EISDIR for a directory.
    public static func contents(of path: String) throws(SystemError) -> ByteSlice {
        try FileBytes.contents(of: FileSource(open(path), foreign: path))
    }

    /// The file, open for reading.
    ///
    /// - Parameters:
    ///   - path: of the file; symbolic links before its last component are followed.
    ///   - followsLink: whether the last component of the path may be a symbolic link.
    public static func open(
        _ path: String, followsLink: Bool = true
    ) throws(SystemError) -> FileDescriptor {
        // O_PATH, open(2), opens no device and never waits.
        let found = try descriptor(
            path, flags: pathOnly | (followsLink ? 0 : O_NOFOLLOW), subject: path)
        let status = try check(found)
        // By way of /proc it is the very file that was looked at, whatever is at the path now:
        // proc(5), /proc/PID/fd.
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        let file: FileDescriptor
        do throws(SystemError) {
            file = try descriptor(
                "/proc/self/fd/\(found.rawValue)", flags: flags, subject: path)
        } catch {
            guard error.errorNumber == ENOENT || error.errorNumber == ENOTDIR else { throw error }
            file = try descriptor(
                path, flags: flags | (followsLink ? 0 : O_NOFOLLOW), subject: path)
        }
        let opened = try check(file)
        guard opened.st_dev == status.st_dev, opened.st_ino == status.st_ino else {
            throw SystemError(call: "open", subject: path, errorNumber: ESTALE)
        }
        return file
    }

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
