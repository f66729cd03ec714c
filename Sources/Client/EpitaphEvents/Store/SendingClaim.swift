// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

/// The right to send from a directory and to remove its batches. Only one holder at a time among
/// all processes.
///
/// A record lock, fcntl(2): it ends with its process and is not inherited by a forked child,
/// whereas a lock of flock(2) would last until the child ends too. Such a lock does not exclude
/// other threads of the process, so each process also remembers which directories it has claimed.
/// Closing any other descriptor of the file would release it, so the file is not opened a second
/// time.
final class SendingClaim: Sendable {
    private let file: Mutex<FileDescriptor?>
    private let identity: FileIdentity

    /// For each directory the process that claimed it. In a forked child the entries of its parent
    /// are still here, and are ignored.
    private static let held = Mutex<[FileIdentity: Int32]>([:])
    private static let name = "sender.lock"

    /// Nil if another process or thread has it.
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

    /// Does not wait: in a child that was forked during a change, the wait would never end.
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

    /// Nil if another process holds the lock; the file is then closed again.
    private static func locked(in directory: Directory) throws(SystemError) -> FileDescriptor? {
        let file = try directory.openForWriting(name, creating: true)
        do throws(SystemError) {
            return try RecordLock.tryLocking(file) ? file : nil
        } catch {
            // On a file system without locks only this process can be excluded. Another one may
            // send a batch as well; receivers recognise that by the ids of the events.
            guard error.isUnsupported else { throw error }
            return file
        }
    }

    private init(file: FileDescriptor, identity: FileIdentity) {
        self.file = Mutex(file)
        self.identity = identity
    }

    deinit {
        // Closed before the mark is removed: closing it later would release the next holder's lock.
        file.withLock { $0 = nil }
        Self.unmark(identity)
    }
}
