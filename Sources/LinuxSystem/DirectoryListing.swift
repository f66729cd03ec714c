// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names in a directory at some moment, without `.` and `..`, in the file system's order.
public struct DirectoryListing: Sendable, Equatable {
    public var names: [String] = []
    /// Names that are not UTF-8; this program makes none, so they are counted and left alone.
    public var undecodableCount = 0
    /// False when the limit was reached before the end of the directory.
    public var isComplete = true

    public init() {}
}

extension Directory {
    /// readdir(3), at most `limit` names.
    public func list(limit: Int = .max) throws(SystemError) -> DirectoryListing {
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

        var listing = DirectoryListing()
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                // NULL is the end as well as an error; only errno tells.
                guard errno == 0 else { throw .last("readdir", path) }
                return listing
            }
            guard let name = name(of: entry) else {
                listing.undecodableCount += 1
                continue
            }
            guard name != ".", name != ".." else { continue }
            guard listing.names.count < limit else {
                listing.isComplete = false
                return listing
            }
            listing.names.append(name)
        }
    }

    private func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        // d_name is longer than its declared 256 bytes on some file systems, so the address is
        // taken from the entry.
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let bytes = UnsafeRawPointer(entry).advanced(by: offset)
        return String(validatingCString: bytes.assumingMemoryBound(to: CChar.self))
    }
}
