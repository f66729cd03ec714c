// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("The bytes of a file that is read when they are looked at")
struct FileBytesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("They are the file's, in any order and again after they were let go")
    func contents() throws {
        let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 9) }
        let file = try FileBytes.contents(of: directory.write(bytes, to: "file"))
        #expect(file.count == bytes.count)
        #expect(file.byte(at: 700_000) == bytes[700_000])
        #expect(file.slice(from: 65_530, length: 12).array == Array(bytes[65_530..<65_542]))
        #expect(file.array == bytes)
        file.slice(from: 100_000, length: 300_000).forget()
        #expect(file.array == bytes)
        var copy = [UInt8](repeating: 0, count: bytes.count)
        copy.withUnsafeMutableBytes { file.copy(to: $0) }
        #expect(copy == bytes)
        #expect(file.readProblem == nil)
    }

    @Test("A file that became shorter gives zeros, and says so")
    func shorter() throws {
        let path = try directory.write([UInt8](repeating: 5, count: 400_000), to: "file")
        let file = try FileBytes.contents(of: path)
        #expect(file.byte(at: 0) == 5)
        #expect(truncate(path, 100) == 0)
        #expect(file.byte(at: 399_999) == 0)
        #expect(file.byte(at: 99) == 5)
        #expect(file.readProblem == "it became shorter while it was read")
    }

    /// With a mapping the first look behind the end is SIGBUS, and the end of the process.
    @Test(
        "A file that is cut again and again beside its reader ends nobody", .timeLimit(.minutes(45))
    )
    func beside() throws {
        let path = try directory.write([UInt8](repeating: 5, count: 1 << 20), to: "file")
        let cutter = try Subprocess.spawn([
            "sh", "-c", "while :; do truncate -s 4096 \"$0\"; truncate -s 1M \"$0\"; done", path,
        ])
        defer {
            kill(-cutter, SIGKILL)
            _ = Subprocess.wait(for: cutter, deadlineSeconds: 5)
        }
        let deadline = ContinuousClock.now + .seconds(2)
        var cutCount = 0
        while ContinuousClock.now < deadline {
            let file = try FileBytes.contents(of: path)
            let sum = file.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }
            #expect(sum <= 5 << 20)
            if file.readProblem != nil || sum < 5 << 20 { cutCount += 1 }
        }
        #expect(cutCount > 0)
    }

    /// In a process of its own: while all that may be held is held, other tests can read nothing.
    @Test("A file of holes that is larger than what may be held costs no more than that")
    func holes() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = try directory.write([1], to: "file")
            try #require(truncate(path, 1 << 30) == 0)
            let file = try FileBytes.contents(of: path)
            _ = file.withUnsafeBytes { $0.count }
            #expect(HeldMemory.heldBytes <= HeldMemory.limitBytes)
            #expect(file.readProblem?.contains("MiB of files are held") == true)
        }
    }
}
