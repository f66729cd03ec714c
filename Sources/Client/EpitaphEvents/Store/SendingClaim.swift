// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// The right to send from a directory and to remove its batches, held by one process at a time.
///
/// A record lock, fcntl(2): it ends with its process and a forked child does not inherit it, unlike
/// a flock(2) lock. It does not exclude other threads, so the process also remembers its claims.
/// Closing any other descriptor of the file would release it, so the file is never opened twice.
final class SendingClaim: Sendable {
    private let file: ForkSafeMutex<FileDescriptor?>
    private let identity: FileIdentity

    private static let held = ForkSafeMutex<[FileIdentity: Int32]>([:])
    private static let name = "sender.lock"

    /// Nil if another process or thread holds it.
    static func take(in directory: Directory) throws(SystemError) -> SendingClaim? {
        let identity = try directory.fileStatus().identity
        guard mark(identity) else { return nil }
        do throws(SystemError) {
            if let file = try locked(in: directory) {
                return SendingClaim(file: file, identity: identity)
            }
        } catch {
            unmark(identity)
            throw error
        }
        unmark(identity)
        return nil
    }

    private static func mark(_ identity: FileIdentity) -> Bool {
        held.withLock { held in
            let own = ProcFileSystem.ownProcessID
            guard held[identity] != own else { return false }
            held[identity] = own
            return true
        }
    }

    private static func unmark(_ identity: FileIdentity) {
        held.withLock { $0[identity] = nil }
    }

    private static func locked(in directory: Directory) throws(SystemError) -> FileDescriptor? {
        let file = try directory.openForWriting(name, creating: true)
        do throws(SystemError) {
            return try RecordLock.tryLocking(file) ? file : nil
        } catch {
            // Without file locks only this process can be excluded. Receivers recognise a batch
            // that is sent twice by the ids of the events.
            guard error.isUnsupported else { throw error }
            return file
        }
    }

    private init(file: FileDescriptor, identity: FileIdentity) {
        self.file = ForkSafeMutex(file)
        self.identity = identity
    }

    deinit {
        // Closed before the mark is removed: closing later would release the next holder's lock.
        file.withLock { $0 = nil }
        Self.unmark(identity)
    }
}
