// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert convert")
struct ConvertTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("writes a minidump that only its owner can read, and tells what it lacks")
    func converts() throws {
        let target = directory.path("x.dmp")
        let result = try dumpConvert("convert", Sample.dumpPath, "-o", target)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
        #expect(
            result.standardError.contains(
                "dump-convert: \(Sample.dumpPath) is damaged: stack of thread 4711: "))
        #expect(try bytes(target).starts(with: Array("MDMP".utf8)))
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(
            try dumpConvert("show", target).standardOutput.contains("\n  Signal      SIGSEGV "))
    }

    @Test("refuses to overwrite, and replaces with --force", arguments: ["--force", "-f"])
    func overwriting(option: String) throws {
        let target = try directory.write([1, 2, 3], to: "x.dmp")
        let refused = try dumpConvert("convert", Sample.dumpPath, "-o", target)
        #expect(refused.ending == .exited(1))
        #expect(
            refused.standardError
                == "dump-convert: \(target) exists already; --force replaces it\n")
        #expect(try bytes(target) == [1, 2, 3])

        #expect(
            try dumpConvert("convert", option, Sample.dumpPath, "-o", target).ending == .exited(0))
        #expect(try bytes(target).starts(with: Array("MDMP".utf8)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["x.dmp"])
    }

    @Test(
        "What is read is not replaced, by whatever name",
        arguments: [["convert", "-o"], ["show", "--html"]])
    func sameFile(command: [String]) throws {
        let dump = try Sample.dump()
        let path = try directory.write(dump, to: "dump")
        let again = directory.path + "/./dump"
        let result = try dumpConvert(command + [again, "--force", path])
        result.expectFailure(2, saying: "\(again) is the file that is read; name another one")
        #expect(try bytes(path) == dump)
    }

    @Test("writes to standard output when the file is -")
    func standardOutput() throws {
        let target = directory.path("x.dmp")
        let process = try Subprocess.spawn(
            [Products.executable("dump-convert"), "convert", Sample.dumpPath, "-o", "-"],
            output: target)
        #expect(Subprocess.wait(for: process, deadlineSeconds: 30) == .exited(0))
        #expect(try bytes(target).starts(with: Array("MDMP".utf8)))
    }

    @Test("leaves nothing behind when the disk is full", arguments: [false, true])
    func fullDisk(replacing: Bool) throws {
        let target = directory.path("x.dmp")
        if replacing { try directory.write([1, 2, 3], to: "x.dmp") }
        // RLIMIT_FSIZE plays the full disk: with SIGXFSZ ignored, write(2) fails with EFBIG.
        let program = Products.executable("dump-convert")
        let script =
            "trap '' XFSZ; ulimit -f 1; exec '\(program)' convert --force '\(Sample.dumpPath)' "
            + "-o '\(target)' 2>&1 | cat >&2; exit ${PIPESTATUS[0]}"
        let result = try Subprocess.run(["bash", "-c", script])
        #expect(result.ending == .exited(1))
        #expect(
            result.standardError == "dump-convert: cannot write \(target): File too large\n")
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left == (replacing ? ["x.dmp"] : []))
        if replacing { #expect(try bytes(target) == [1, 2, 3]) }
    }

    @Test("does not put a file in the place of a device, a directory or a link")
    func specialFiles() throws {
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: directory.path("target"))
        for (target, reason) in [
            ("/dev/full", "is not a regular file"), (link, "is not a regular file"),
            (directory.path, "is a directory"),
        ] {
            let result = try dumpConvert("convert", "--force", Sample.dumpPath, "-o", target)
            result.expectFailure(1, saying: "\(target) \(reason)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["link"])
    }

    @Test("names the directory that is not there")
    func missingDirectory() throws {
        let target = directory.path("none/x.dmp")
        let result = try dumpConvert("convert", Sample.dumpPath, "-o", target)
        #expect(result.ending == .exited(1))
        #expect(
            result.standardError
                == "dump-convert: cannot write \(target): No such file or directory\n")
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
