// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Directory {
    /// Opens a directory named by the user, through symbolic links; a privileged process only
    /// through its own user's and the target's owner's: others could redirect it.
    package convenience init(named path: String) throws(SystemError) {
        var walk = try Walk(path)
        try walk.finish()
        let descriptor = try walk.opened()
        if let identity = try FileSystemIdentity(ownerOf: descriptor) {
            let trusted = [geteuid(), 0, identity.userID]
            guard walk.linkOwners.allSatisfy(trusted.contains) else {
                throw SystemError(call: "readlinkat", subject: path, errorNumber: EPERM)
            }
        } else if geteuid() == 0, walk.linkOwners.contains(where: { $0 != 0 }) {
            // Root's own directory through another user's link.
            throw SystemError(call: "readlinkat", subject: path, errorNumber: EPERM)
        }
        self.init(owning: descriptor)
    }
}

private struct Walk {
    private(set) var linkOwners: [UInt32] = []
    private var here: FileDescriptor
    private var rest: [Substring]
    private var names: [Substring]

    /// The kernel's limit: MAXSYMLINKS of linux/namei.h.
    private static let mostLinks = 40
    /// O_PATH, asm-generic/fcntl.h; glibc needs _GNU_SOURCE.
    private static let openPath: Int32 = 0o10000000

    init(_ path: String) throws(SystemError) {
        guard !path.isEmpty else {
            throw SystemError(call: "openat", subject: path, errorNumber: ENOENT)
        }
        let isAbsolute = path.hasPrefix("/")
        here = try FileDescriptor.open(
            isAbsolute ? "/" : ".", flags: Self.openPath | O_DIRECTORY, mode: 0)
        names = isAbsolute ? [] : (try realPath(of: ".")).split(separator: "/")
        rest = path.split(separator: "/").reversed()
    }

    private var path: String { "/" + names.joined(separator: "/") }

    mutating func finish() throws(SystemError) {
        while let name = rest.popLast() {
            if name == "." { continue }
            if let next = try open(name, O_DIRECTORY) {
                here = next
                if name == ".." { _ = names.popLast() } else { names.append(name) }
                continue
            }
            try follow(name)
        }
    }

    func opened() throws(SystemError) -> FileDescriptor {
        let opened = retryingInterrupts {
            openat(here.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard opened >= 0 else { throw .last("openat", path) }
        return FileDescriptor(owning: opened, path: path)
    }

    private func open(
        _ name: Substring, _ flags: Int32
    ) throws(SystemError) -> FileDescriptor? {
        let opened = retryingInterrupts {
            openat(here.rawValue, String(name), Self.openPath | O_NOFOLLOW | O_CLOEXEC | flags)
        }
        if opened < 0, errno == ENOTDIR, flags != 0 { return nil }
        let subject = "\(path == "/" ? "" : path)/\(name)"
        guard opened >= 0 else { throw .last("openat", subject) }
        return FileDescriptor(owning: opened, path: subject)
    }

    private mutating func follow(_ name: Substring) throws(SystemError) {
        guard let link = try open(name, 0) else { return }
        let status = try link.status()
        guard status.st_mode & S_IFMT == S_IFLNK else {
            throw SystemError(call: "openat", subject: link.path, errorNumber: ENOTDIR)
        }
        linkOwners.append(status.st_uid)
        guard linkOwners.count <= Self.mostLinks else {
            throw SystemError(call: "openat", subject: link.path, errorNumber: ELOOP)
        }
        let target = try link.linkTarget()
        if target.hasPrefix("/") {
            here = try FileDescriptor.open("/", flags: Self.openPath | O_DIRECTORY, mode: 0)
            names = []
        }
        rest += target.split(separator: "/").reversed()
    }
}

extension FileDescriptor {
    /// readlinkat(2) of a link in here; without a name, of this link, opened with O_PATH.
    package func linkTarget(_ name: String = "") throws(SystemError) -> String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlinkat(rawValue, name, $0, bytes.count) } ?? -1
        }
        guard count > 0, count < buffer.count else { throw .last("readlinkat", path) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

/// realpath(3) for a path given by the user, which may be a link. Throws if nothing is there.
package func realPath(of path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw .last("realpath", path) }
    defer { free(resolved) }
    return String(cString: resolved)
}
