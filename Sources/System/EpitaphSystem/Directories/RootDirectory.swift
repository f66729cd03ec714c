// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A directory that is the root of another system, of a container or a device: paths of that system
/// are resolved as the system itself would, and never lead out of it. An absolute symbolic link begins
/// at this root, and `..` ends there.
///
/// Each step goes through an open directory, so whoever changes the tree meanwhile cannot lead the walk
/// out of it either. openat2(2) with RESOLVE_IN_ROOT does the same on kernels that have it.
package struct RootDirectory: Sendable {
    private let descriptor: FileDescriptor

    /// The path that was opened.
    package var path: String { descriptor.path }

    /// The most links followed, as in the kernel: MAXSYMLINKS of linux/namei.h.
    private static let mostLinks = 40
    /// O_PATH, asm-generic/fcntl.h: glibc declares it only for _GNU_SOURCE.
    private static let openPath: Int32 = 0o10000000

    /// Opens the directory at `path`, whose links are this system's.
    package init(opening path: String) throws(SystemError) {
        descriptor = try FileDescriptor.open(
            realPath(of: path), flags: Self.openPath | O_DIRECTORY, mode: 0)
    }

    /// Where in this system what is at `path` of the other one lies, without symbolic links. What
    /// others change meanwhile may lead elsewhere, so what is opened there has to be checked.
    ///
    /// - Throws: ENOENT if there is nothing, ELOOP if links lead in circles.
    package func resolved(_ path: String) throws(SystemError) -> String {
        try find(path).path
    }

    /// What is at `path` in the other system, open with O_PATH and so without any effect on it. Its
    /// own path is that without links, in this system.
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
