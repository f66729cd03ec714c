// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The handler itself, with a core that gdb made on its standard input. Scripts/core-pipe has the
/// kernel's.
@Suite(
    "dump-convert core-pipe",
    .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
struct CorePipeTests {
    let directory: TemporaryDirectory
    let core: String
    let users: String
    /// No process has this id: pid_max is 4,194,304 at most, proc_sys_kernel(5).
    private static let processID = "5000000"

    init() throws {
        directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O1"], in: directory)
        _ = try DebuggedProgram(running: [program, "abort"], in: directory)
        core = directory.path("core")
        users = directory.path("users")
        try #require(mkdir(users, 0o711) == 0)
        try #require(chmod(directory.path, 0o711) == 0)
    }

    /// - Returns: whether a report was made.
    private func crash(
        _ program: String, user: UInt32, time: Int = 1_771_236_312, _ settings: String = ""
    ) throws -> Bool {
        let config = try directory.write(Array("directory \(users)\n\(settings)".utf8), to: "conf")
        let result = try Subprocess.run([
            "sh", "-c", "core=$1; shift; exec \"$0\" \"$@\" <\"$core\"",
            Products.executable("dump-convert"), core, "core-pipe", "--config", config,
            Self.processID, "\(user)", "\(user)", "6", "\(time)", program, "host", "1",
            "9223372036854775807",
        ])
        #expect(result.standardError.contains(program))
        return result.ending == .exited(0)
    }

    @Test("A user whose programs crash all the time leaves reports for root's")
    func shares() throws {
        let settings = "reports 8\n"
        for number in 0..<9 { _ = try crash("small\(number)", user: OtherUser.id, settings) }
        #expect(try crash("daemon", user: 0, settings))
    }

    @Test("A directory that an ended handler left behind becomes its user's")
    func leftBehind() throws {
        let name = users + "/\(OtherUser.id)"
        try #require(mkdir(name, 0o700) == 0)
        #expect(try crash("victim", user: OtherUser.id))
        #expect(try OtherUser.foreign(below: name).isEmpty)
        // What root put there is not given away.
        try #require(mkdir(users + "/77", 0o700) == 0)
        try directory.write([1], to: "users/77/secret")
        #expect(try !crash("victim", user: 77))
    }

    @Test("Kept cores obey the rate, and have a budget")
    func keptCores() throws {
        let cores = directory.path("cores")
        try #require(mkdir(cores, 0o700) == 0)
        func kept() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: cores).sorted()
        }
        let keeping = "keep-core \(cores)\nkeep-core-free 0\n"
        for time in 0..<4 {
            _ = try crash("often", user: 0, time: 100 + time, keeping + "reports-per-program 2\n")
        }
        #expect(try kept().count == 2)
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: cores + "/" + kept()[0])[.size]
                as? Int)
        // Room for a part of one.
        #expect(size > 0)
        _ = try crash("later", user: 0, time: 200, keeping + "keep-core-use 1\n")
        #expect(try kept() == ["core.later.0.\(Self.processID).200"])
    }
}
