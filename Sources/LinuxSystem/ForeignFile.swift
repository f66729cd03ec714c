// SPDX-License-Identifier: Apache-2.0

import Bytes
import Glibc

/// Opens files whose names come from a report or from debug information and were chosen by its
/// author. docs/decisions/what-a-dump-names.md.
///
/// Just opening a device can have effects, opening a FIFO waits, and reading some files of /proc
/// removes what is read. So before anything is opened it is checked that it is a regular file and
/// not one that the kernel generates. Symbolic links are followed, because those of shared
/// libraries must be.
public enum ForeignFile {
    /// The file's bytes; the caller must check the contents, because the path proves nothing.
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
        // O_PATH, open(2), does not open devices and never waits.
        let found = try descriptor(
            path, flags: pathOnly | (followsLink ? 0 : O_NOFOLLOW), subject: path)
        let status = try check(found)
        // The path through /proc leads to the very file that was checked, whatever is at the path
        // now: proc(5), /proc/PID/fd.
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
