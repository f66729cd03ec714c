// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert show of a dump that names files it should not")
struct HostilePathTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(
        "A path of the kernel's or of a device is not read, and the report says why",
        arguments: ["/proc/self/pagemap", "/proc/kmsg", "/dev/zero", "/dev/tty", "FIFO"])
    func notOpened(name: String) throws {
        let path = name == "FIFO" ? directory.path("fifo") : name
        mkfifo(directory.path("fifo"), 0o600)
        guard access(path, F_OK) == 0 else { return }
        let dump = try HostileFile.minidump(
            of: path, buildID: Array(repeating: 7, count: 20), in: directory)
        let result = try dumpConvert("show", dump)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardOutput.contains("\(path) cannot be used: it is not a regular file"))
    }

    @Test("A sparse file of terabytes is told by its size")
    func sparse() throws {
        let path = try directory.write([], to: "sparse")
        guard truncate(path, 8 << 40) == 0 || truncate(path, 1 << 35) == 0 else { return }
        let dump = try HostileFile.minidump(
            of: path, buildID: Array(repeating: 7, count: 20), in: directory)
        let result = try dumpConvert("show", dump)
        #expect(result.standardOutput.contains("is larger than 16 GiB, and is not opened"))
    }

    @Test("What a debug file names is not opened blindly either: FIFOs have no writer")
    func namedByDebugFiles() throws {
        let options = ["-gdwarf-5", "-gsplit-dwarf", "-Wl,--no-warnings"]
        let file = try HostileFile(in: directory, Array(options.prefix(2)))
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where name.hasSuffix(".dwo") {
            try FileManager.default.removeItem(atPath: directory.path(name))
            mkfifo(directory.path(name), 0o600)
        }
        // The package, the link's file and the alternate file of dwz are looked for as well.
        mkfifo(file.path + ".dwp", 0o600)
        mkfifo(directory.path("program.debug"), 0o600)
        for command in [
            ["objcopy", "--add-section", ".gnu_debuglink=\(try link())", file.path],
            ["objcopy", "--add-section", ".gnu_debugaltlink=\(try alternateLink())", file.path],
        ] {
            try runTool(command)
        }
        let result = try dumpConvert("show", file.minidump())
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardOutput.contains("outer"))
    }

    private func link() throws -> String {
        try directory.write(Array("program.debug\0\0\0\0\0\0\0".utf8), to: "link")
    }

    private func alternateLink() throws -> String {
        mkfifo(directory.path("alternate"), 0o600)
        return try directory.write(
            Array((directory.path("alternate") + "\0").utf8) + [1, 2, 3, 4], to: "altlink")
    }

    @Test(
        "A debug file that is cut again and again beside its reader costs the reader nothing",
        .timeLimit(.minutes(45)))
    func shrinking() throws {
        let file = try HostileFile(in: directory)
        let dump = try file.minidump()
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
        try directory.write(Array(whole), to: "whole")
        let loop = try Subprocess.spawn([
            "sh", "-c",
            "while :; do truncate -s $(( \(size) / 3 )) \"$0\"; cat \"$1\" > \"$0\"; done",
            file.path, directory.path("whole"),
        ])
        defer {
            kill(-loop, SIGKILL)
            _ = Subprocess.wait(for: loop, deadlineSeconds: 5)
        }
        for _ in 0..<20 {
            let result = try dumpConvert("show", dump)
            #expect(result.ending == .exited(0), "\(result.ending) \(result.standardError)")
            #expect(result.standardOutput.contains("SIGSEGV"))
        }
    }
}
