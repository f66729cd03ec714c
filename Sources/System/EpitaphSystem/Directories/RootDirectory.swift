// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Root directory of another system, such as a container. Absolute links start at this root, and
/// `..` stops there. Each step opens a directory, so concurrent changes cannot lead out either.
/// Like openat2(2) with RESOLVE_IN_ROOT, which older kernels lack.
package struct RootDirectory: Sendable {
    private let descriptor: FileDescriptor

    package var path: String { descriptor.path }

    /// The kernel's limit: MAXSYMLINKS of linux/namei.h.
    private static let mostLinks = 40
    /// O_PATH, asm-generic/fcntl.h; glibc needs _GNU_SOURCE.
    private static let openPath: Int32 = 0o10000000

    package init(opening path: String) throws(SystemError) {
        descriptor = try FileDescriptor.open(
            realPath(of: path), flags: Self.openPath | O_DIRECTORY, mode: 0)
    }

    /// The path here, without links, of `path` in the other system. It may change, so check what is
    /// opened there. Throws ENOENT if nothing is there, ELOOP for cyclic links.
    package func resolved(_ path: String) throws(SystemError) -> String {
        try find(path).path
    }

    /// Opens `path` with O_PATH. The result's path is the resolved one in this system.
    func find(_ path: String) throws(SystemError) -> FileDescriptor {
        var way = [descriptor]
        var rest = Array(path.split(separator: "/").reversed())
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                if way.count > 1 { way.removeLast() }
                continue
            }
            let next = try open(String(name), in: way[way.count - 1])
            switch try next.status().st_mode & S_IFMT {
            case S_IFDIR: way.append(next)
            case S_IFLNK:
                links += 1
                guard links <= Self.mostLinks else { throw Self.error(ELOOP, next.path) }
                let target = try next.linkTarget()
                if target.hasPrefix("/") { way.removeLast(way.count - 1) }
                rest += target.split(separator: "/").reversed()
            default:
                guard rest.isEmpty else { throw Self.error(ENOTDIR, next.path) }
                return next
            }
        }
        return way[way.count - 1]
    }

    private func open(
        _ name: String, in directory: FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        let parent = directory.path == "/" ? "" : directory.path
        let opened = retryingInterrupts {
            openat(directory.rawValue, name, Self.openPath | O_NOFOLLOW | O_CLOEXEC)
        }
        guard opened >= 0 else { throw .last("openat", "\(parent)/\(name)") }
        return FileDescriptor(owning: opened, path: "\(parent)/\(name)")
    }

    private static func error(_ number: Int32, _ path: String) -> SystemError {
        SystemError(call: "openat", subject: path, errorNumber: number)
    }
}
