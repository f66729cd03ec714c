// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite struct FileSystemSyncTests {
    @Test("What the host has to write is the sum of what waits and what is being written")
    func unwritten() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            Array(
                "MemTotal: 100 kB\nDirty:      20 kB\nWriteback:   3 kB\nWritebackTmp: 9 kB\n".utf8),
            to: "meminfo")
        #expect(ProcFileSystem(root: directory.path("")).unwrittenByteCount() == 23 * 1024)
        #expect(ProcFileSystem(root: directory.path("none")).unwrittenByteCount() == nil)
        #expect(ProcFileSystem().unwrittenByteCount() != nil)
    }

    @Test("A file system that promises less than fsync is not synced as a whole")
    func unknownFileSystem() throws {
        // proc is none of those that are known.
        #expect(try !Directory(opening: "/proc/sys").synchronizeFileSystem())
    }

    @Test("The file system of a directory can be synced as a whole, where it is a known one")
    func known() throws {
        // tmpfs, on any Linux with shared memory.
        guard let memory = try? Directory(opening: "/dev/shm") else { return }
        #expect(try memory.synchronizeFileSystem())
    }
}
