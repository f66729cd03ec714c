// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Closing any descriptor of a file drops the process's record locks on it: fcntl(2).
package enum OpenFiles {
    /// Kept open because the program has since locked their files.
    private static let kept = ForkSafeMutex<[FileDescriptor]>([])

    /// How many descriptors of a file this process has; nil if unknown.
    package static func count(of identity: FileIdentity) -> Int? {
        guard let directory = try? Directory(opening: "/proc/self/fd"),
            let names = try? directory.list().names
        else { return nil }
        return names.count { name in
            var status = stat()
            // Skip those closed meanwhile.
            guard let number = Int32(name), fstat(number, &status) == 0 else { return false }
            return FileStamp(status).identity == identity
        }
    }

    /// Closes a file, which has no other reference, unless this process has record locks on it by
    /// now; then the descriptor stays open until the process ends.
    package static func release(_ file: FileDescriptor) {
        guard let identity = try? file.fileStatus().identity else { return }
        if RecordLock.isHeldHere(on: identity) { kept.withLock { $0.append(file) } }
    }

    package static var keptCount: Int { kept.withLock { $0.count } }
}
