// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite struct LockTests {
    let temporary: TemporaryDirectory
    let path: String

    init() throws {
        temporary = try TemporaryDirectory()
        path = try temporary.write([1, 2, 3], to: "file")
    }

    @Test("A record lock of another process shows who holds it, and is gone when it dies")
    func recordLockOfAnother() throws {
        let file = try FileDescriptor.openForReading(path)
        #expect(try RecordLock.holder(of: file) == nil)
        let holder = try LockHolder(.record, on: path)
        #expect(try RecordLock.holder(of: file)?.processID == holder.processID)
        let writable = try FileDescriptor.open(path, flags: O_RDWR, mode: 0)
        #expect(try RecordLock.tryLocking(writable) == false)
        holder.end()
        #expect(try RecordLock.holder(of: file) == nil)
        #expect(try RecordLock.tryLocking(writable) == true)
    }

    @Test("A zombie holds no record lock any more")
    func recordLockOfZombie() throws {
        let file = try FileDescriptor.openForReading(path)
        let holder = try LockHolder(.record, on: path)
        holder.killWithoutWaiting()
        #expect(try RecordLock.holder(of: file) == nil)
    }

    @Test("Another process sees our record lock and we do not")
    func ownRecordLock() throws {
        let file = try FileDescriptor.open(path, flags: O_RDWR, mode: 0)
        #expect(try RecordLock.tryLocking(file) == true)
        #expect(try RecordLock.holder(of: file) == nil)
        let attempt = try Subprocess.run([
            "python3", "-c",
            "import fcntl,sys; fcntl.lockf(open(sys.argv[1],'r+b'), fcntl.LOCK_EX|fcntl.LOCK_NB)",
            path,
        ])
        #expect(attempt.ending == .exited(1))
        #expect(attempt.standardError.contains("BlockingIOError"))
    }

    @Test("Where no lock can be asked about, the answer is an error, not a no")
    func recordLockUnsupported() throws {
        #expect(throws: SystemError.self) {
            try RecordLock.holder(of: FileDescriptor(owning: -1, path: "closed"))
        }
    }

    @Test("A whole-file lock keeps another descriptor of the same process out too")
    func wholeFileLock() throws {
        let first = try FileDescriptor.openForReading(path)
        let second = try FileDescriptor.openForReading(path)
        #expect(try first.tryLocking(.shared))
        #expect(try second.tryLocking(.shared))
        #expect(try second.tryLocking(.exclusive) == false)
        #expect(try second.lock(.exclusive, within: .milliseconds(5)) == false)
        // A copy of the descriptor, as a forked child has it, keeps a lock over close(2) but not
        // over unlock.
        let copy = FileDescriptor(owning: dup(first.rawValue), path: path)
        first.unlock()
        #expect(try second.tryLocking(.exclusive))
        withExtendedLifetime(copy) {}
    }

    @Test("Waiting for a lock ends when its holder dies")
    func waits() throws {
        let holder = try LockHolder(.wholeFile, on: path)
        let file = try FileDescriptor.openForReading(path)
        #expect(try file.tryLocking(.exclusive) == false)
        kill(holder.processID, SIGKILL)
        #expect(try file.lock(.exclusive, within: .seconds(20)))
    }
}
