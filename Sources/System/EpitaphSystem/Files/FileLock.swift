// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

/// flock(2). Locks belong to the open file description, so they also work between threads.
extension FileDescriptor {
    package enum LockKind: Sendable {
        case shared, exclusive
    }

    /// LOCK_NB. Returns false if another holder prevents the lock.
    package func tryLocking(_ kind: LockKind) throws(SystemError) -> Bool {
        let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        guard retryingInterrupts({ flock(rawValue, operation) }) != 0 else { return true }
        guard errno == EWOULDBLOCK else { throw .last("flock", path) }
        return false
    }

    /// LOCK_UN. Closing alone would not release it while a forked child has the file open.
    package func unlock() {
        _ = flock(rawValue, LOCK_UN)
    }

    /// Retries until `deadline`, because flock(2) has no timeout. Returns false on timeout.
    package func lock(_ kind: LockKind, within deadline: Duration) throws(SystemError) -> Bool {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: deadline)
        var pauseMicroseconds: UInt32 = 200
        while try !tryLocking(kind) {
            guard clock.now < end else { return false }
            epitaph_wait_microseconds(pauseMicroseconds)
            pauseMicroseconds = min(pauseMicroseconds * 2, 20_000)
        }
        return true
    }

    /// Nil if unknown: no leases on the file system, or another user's file without CAP_LEASE. The
    /// kernel grants a read lease (F_SETLEASE, fcntl(2)) only on a file not open for writing; it is
    /// released at once. This descriptor must be read-only.
    package func isOpenForWriting() -> Bool? {
        // Sent on a concurrent open. SIGURG is ignored by default; SIGIO would kill the process.
        _ = fcntl(rawValue, Self.setSignal, SIGURG)
        guard fcntl(rawValue, Self.setLease, Int32(F_RDLCK)) != 0 else {
            _ = fcntl(rawValue, Self.setLease, Int32(F_UNLCK))
            return false
        }
        return errno == EAGAIN ? true : nil
    }

    // F_SETSIG and F_SETLEASE, asm-generic/fcntl.h and linux/fcntl.h; glibc needs _GNU_SOURCE.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024
}
