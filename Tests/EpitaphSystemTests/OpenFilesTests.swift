// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite(.serialized) struct OpenFilesTests {
    /// Whether another process finds the file locked.
    private func isLocked(_ path: String) throws -> Bool {
        let asked = try Subprocess.run([
            "python3", "-c",
            """
            import fcntl, sys
            try:
                fcntl.lockf(open(sys.argv[1], "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                sys.exit(3)
            """, path,
        ])
        #expect([.exited(0), .exited(3)].contains(asked.ending), "\(asked.standardError)")
        return asked.ending == .exited(3)
    }

    @Test("A file on which this process holds a lock is known by its path, whoever asks")
    func heldHere() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("a".utf8), to: "locked")
        let other = try directory.write(Array("a".utf8), to: "other")
        #expect(!RecordLock.isHeldHere(onFileAt: path))
        let file = try FileDescriptor.open(path, flags: O_RDWR, mode: 0)
        #expect(try RecordLock.tryLocking(file))
        #expect(RecordLock.isHeldHere(onFileAt: path))
        #expect(!RecordLock.isHeldHere(onFileAt: other))
        #expect(!RecordLock.isHeldHere(onFileAt: directory.path("missing")))
        #expect(try OpenFiles.count(of: file.fileStatus().identity) == 1)
    }

    @Test("A file that was looked at is closed, unless this process has locked it meanwhile")
    func release() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("a".utf8), to: "file")
        let before = OpenFiles.keptCount
        let identity = try FileDescriptor.openForReading(path).fileStatus().identity
        OpenFiles.release(try FileDescriptor.openForReading(path))
        #expect(OpenFiles.keptCount == before)
        #expect(OpenFiles.count(of: identity) == 0)
        let looked = try FileDescriptor.openForReading(path)
        let program = try FileDescriptor.open(path, flags: O_RDWR, mode: 0)
        #expect(try RecordLock.tryLocking(program))
        OpenFiles.release(looked)
        #expect(OpenFiles.keptCount == before + 1)
        #expect(try isLocked(path))
        withExtendedLifetime(program) {}
    }
}
