// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("A file whose name came out of a report")
struct ForeignFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func refusal(_ path: String) -> Int32? {
        do throws(SystemError) {
            _ = try ForeignFile.contents(of: path)
            return nil
        } catch {
            return error.errorNumber
        }
    }

    @Test(
        "What the kernel makes up is not opened, however regular it looks",
        arguments: [
            "/proc/self/pagemap", "/proc/self/status", "/proc/kmsg", "/proc/self/mem",
            "/sys/kernel/mm/transparent_hugepage/enabled",
        ])
    func madeUp(path: String) {
        guard access(path, F_OK) == 0 else { return }
        #expect(refusal(path) == EINVAL)
    }

    @Test("Neither are devices, FIFOs, sockets and directories")
    func otherKinds() throws {
        mkfifo(directory.path("fifo"), 0o600)
        #expect(refusal(directory.path("fifo")) == EINVAL)
        #expect(refusal("/dev/zero") == EINVAL)
        #expect(refusal("/dev/tty") == EINVAL)
        #expect(refusal(directory.path) == EISDIR)
        #expect(refusal(directory.path("nothing")) == ENOENT)
        // A link leads to what it leads to.
        symlink("/proc/self/status", directory.path("link"))
        #expect(refusal(directory.path("link")) == EINVAL)
    }

    @Test("A file with a size that no program has is refused by its size alone")
    func sparse() throws {
        let path = try directory.write([], to: "sparse")
        // Not every file system has room for eight terabytes of nothing.
        guard truncate(path, 8 << 40) == 0 || truncate(path, 1 << 35) == 0 else { return }
        #expect(refusal(path) == EFBIG)
    }

    @Test("A library behind its usual symbolic link is read")
    func link() throws {
        try directory.write([1, 2, 3], to: "libx.so.1.2")
        symlink("libx.so.1.2", directory.path("libx.so.1"))
        #expect(try ForeignFile.contents(of: directory.path("libx.so.1")).array == [1, 2, 3])
        #expect(throws: SystemError.self) {
            try ForeignFile.open(directory.path("libx.so.1"), followsLink: false)
        }
    }

    @Test("Many files take few descriptors, and all of them can still be read")
    func descriptors() throws {
        var files: [ByteSlice] = []
        for index in 0..<64 {
            // Larger than what is read at once, so that there is something left to read.
            var bytes = [UInt8](repeating: 0, count: 200_000)
            bytes[199_999] = UInt8(index)
            files.append(
                try ForeignFile.contents(of: directory.write(bytes, to: "file\(index)")))
        }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
            }
            .count { $0.hasPrefix(directory.path) }
        #expect(open <= 16)
        for (index, file) in files.enumerated() {
            #expect(file.byte(at: 199_999) == UInt8(index))
            #expect(file.readProblem == nil)
        }
    }

    @Test("Another file at the path of one whose descriptor was closed is not taken for it")
    func replaced() throws {
        let path = try directory.write([UInt8](repeating: 7, count: 200_000), to: "file")
        let file = try ForeignFile.contents(of: path)
        let others = try (0..<32).map {
            try ForeignFile.contents(of: directory.write([1], to: "other\($0)"))
        }
        try directory.write([UInt8](repeating: 9, count: 200_000), to: "new")
        rename(directory.path("new"), path)
        #expect(file.byte(at: 150_000) == 0)
        #expect(file.readProblem != nil)
        #expect(others.count == 32)
    }
}
