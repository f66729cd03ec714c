// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Locks of flock(2). They belong to the open file description and end with its last descriptor, so
/// they also work between threads.
extension FileDescriptor {
    /// LOCK_SH and LOCK_EX.
    package enum LockKind: Sendable {
        /// Any number may hold a shared lock at once; an exclusive one excludes every other.
        case shared, exclusive
    }

    /// LOCK_NB: takes the lock if that is possible at once.
    ///
    /// - Returns: false if another holder prevents it.
    package func tryLocking(_ kind: LockKind) throws(SystemError) -> Bool {
        let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        guard retryingInterrupts({ flock(rawValue, operation) }) != 0 else { return true }
        guard errno == EWOULDBLOCK else { throw .last("flock", path) }
        return false
    }

    /// LOCK_UN: releases the lock now. Closing alone would not while a forked child still has the
    /// file open.
    package func unlock() {
        _ = flock(rawValue, LOCK_UN)
    }

    /// Takes the lock, trying until `deadline`. flock(2) has no time limit of its own, so it is
    /// called repeatedly.
    ///
    /// - Returns: false if another holder prevented it the whole time.
    package func lock(_ kind: LockKind, within deadline: Duration) throws(SystemError) -> Bool {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: deadline)
        var pauseMicroseconds: UInt32 = 200
        while try !tryLocking(kind) {
            guard clock.now < end else { return false }
            usleep(pauseMicroseconds)
            pauseMicroseconds = min(pauseMicroseconds * 2, 20_000)
        }
        return true
    }
}

extension FileDescriptor {
    /// Whether any process has the file open for writing; nil if that cannot be known: on file
    /// systems without leases, and for files of other users without CAP_LEASE.
    ///
    /// The kernel grants a read lease only on a file that no process has open for writing, F_SETLEASE of
    /// fcntl(2); it is released at once. The descriptor must have been opened only for reading.
    package func isOpenForWriting() -> Bool? {
        // If a process opens the file at this moment, the kernel sends a signal. The default,
        // SIGIO, would end a process; SIGURG is ignored by default.
        _ = fcntl(rawValue, Self.setSignal, SIGURG)
        guard fcntl(rawValue, Self.setLease, Int32(F_RDLCK)) != 0 else {
            _ = fcntl(rawValue, Self.setLease, Int32(F_UNLCK))
            return false
        }
        return errno == EAGAIN ? true : nil
    }

    // F_SETSIG and F_SETLEASE, asm-generic/fcntl.h and linux/fcntl.h: glibc declares them only for
    // _GNU_SOURCE.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024
}
