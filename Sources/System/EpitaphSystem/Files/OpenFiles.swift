// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Files that the program and we have open at once. When a process closes any descriptor of a file,
/// it loses all its record locks on it: fcntl(2), "Advisory record locking".
package enum OpenFiles {
    /// Descriptors that stay open because the program locked their files meanwhile.
    private static let kept = Mutex<[FileDescriptor]>([])

    /// How many descriptors of a file this process has open; nil where the kernel does not say.
    package static func count(of identity: FileIdentity) -> Int? {
        guard let directory = try? Directory(opening: "/proc/self/fd"),
            let names = try? directory.list().names
        else { return nil }
        return names.count { name in
            var status = stat()
            // One that was closed meanwhile is none.
            guard let number = Int32(name), fstat(number, &status) == 0 else { return false }
            return FileStamp(status).identity == identity
        }
    }

    /// Lets a file go that was looked at: it is closed unless this process has record locks on it
    /// by now. A descriptor that has to stay open does so until the process ends.
    ///
    /// - Parameter file: to which there is no other reference.
    package static func release(_ file: FileDescriptor) {
        guard let identity = try? file.fileStatus().identity else { return }
        if RecordLock.isHeldHere(on: identity) { kept.withLock { $0.append(file) } }
    }

    /// How many descriptors stay open.
    package static var keptCount: Int { kept.withLock { $0.count } }
}
