// SPDX-License-Identifier: Apache-2.0

import Glibc

extension FileDescriptor {
    /// Whether any process has the file open for writing; nil where that cannot be told: on file
    /// systems without leases, and for files of other users without CAP_LEASE.
    ///
    /// The kernel grants a read lease only on a file that nobody has open for writing, F_SETLEASE
    /// of fcntl(2); it is given back at once. The descriptor must have been opened for reading
    /// alone.
    public func isOpenForWriting() -> Bool? {
        // Whoever opens the file in this very moment makes the kernel send a signal. By default it
        // would be SIGIO, which ends a process; SIGURG is ignored unless somebody asks for it.
        _ = fcntl(rawValue, Self.setSignal, SIGURG)
        guard fcntl(rawValue, Self.setLease, Int32(F_RDLCK)) != 0 else {
            _ = fcntl(rawValue, Self.setLease, Int32(F_UNLCK))
            return false
        }
        return errno == EAGAIN ? true : nil
    }

    // F_SETSIG and F_SETLEASE, asm-generic/fcntl.h and linux/fcntl.h: glibc shows them for
    // _GNU_SOURCE alone.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024
}
