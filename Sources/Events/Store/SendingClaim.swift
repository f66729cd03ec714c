// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// The right to send from a directory, and to remove batches: one holder at a time among all
/// processes.
///
/// A record lock, fcntl(2): it goes when its process dies, and a forked child does not have it,
/// where a lock of flock(2) would stay until the child ends too. Such a lock does not keep two
/// threads of one process apart, so each process also knows which directories it has claimed; and
/// closing any other descriptor of the file would drop it, so nothing is opened while it is held.
final class SendingClaim: Sendable {
    private let file: Mutex<FileDescriptor?>
    private let identity: FileIdentity

    /// By directory, the process that claimed it: in a forked child those of its parent are here
    /// too, and mean nothing.
    private static let held = Mutex<[FileIdentity: Int32]>([:])
    private static let name = "sender.lock"

    /// Nil while another one holds it.
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

    /// Without waiting: in a child that was forked while the mark was being changed, it would be
    /// for ever.
    private static func mark(_ identity: FileIdentity) -> Bool {
        held.withLockIfAvailable { held in
            let own = ProcFileSystem.ownProcessID
            guard held[identity] != own else { return false }
            held[identity] = own
            return true
        } ?? false
    }

    private static func unmark(_ identity: FileIdentity) {
        held.withLock { $0[identity] = nil }
    }

    /// Nil while another process holds the lock; the file is closed again then.
    private static func locked(in directory: Directory) throws(SystemError) -> FileDescriptor? {
        let file = try directory.openForWriting(name, creating: true)
        do throws(SystemError) {
            return try RecordLock.tryLocking(file) ? file : nil
        } catch {
            // A file system without locks leaves this process alone to go by: another one may send
            // a batch as well, and the ids of events show it.
            guard error.isUnsupported else { throw error }
            return file
        }
    }

    private init(file: FileDescriptor, identity: FileIdentity) {
        self.file = Mutex(file)
        self.identity = identity
    }

    deinit {
        // Closed before the mark goes: it would take the lock of the next holder along.
        file.withLock { $0 = nil }
        Self.unmark(identity)
    }
}
