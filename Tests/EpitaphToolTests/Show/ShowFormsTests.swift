// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("JSON and HTML of dump-convert show")
struct ShowFormsTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func threadIDs(_ options: String...) throws -> Set<Int> {
        let result = try dumpConvert(["show", "--json", Sample.dumpPath] + options)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let report = try jsonObject(result.standardOutput)
        let threads = try #require(report["threads"] as? [[String: Any]])
        return Set(threads.compactMap { $0["id"] as? Int })
    }

    @Test("--json prints one object with the threads that were chosen, or all")
    func json() throws {
        #expect(try threadIDs() == [4711, 4712, 4713])
        #expect(try threadIDs("--thread", "4711") == [4711, 4712])
        #expect(try threadIDs("--thread", "crashing") == [4712])
    }

    @Test("--html writes a page that only its owner can read, and says nothing")
    func html() throws {
        let path = directory.path("crash.html")
        let result = try dumpConvert("show", Sample.dumpPath, "--html", path)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "" && result.standardError == "")
        let page = try String(contentsOfFile: path, encoding: .utf8)
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(page.contains("orderd") && page.contains("4712"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try dumpConvert("show", Sample.dumpPath, "--html=-").standardOutput == page + "\n")
    }

    @Test("A page replaces a file only with --force, and nothing of another is lost before")
    func overwriting() throws {
        let path = try directory.write([1, 2, 3], to: "crash.html")
        let refused = try dumpConvert("show", Sample.dumpPath, "--html", path)
        #expect(refused.ending == .exited(1))
        #expect(
            refused.standardError == "dump-convert: \(path) exists already; --force replaces it\n")
        #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
        #expect(try dumpConvert("show", Sample.dumpPath, "--html", path, "-f").ending == .exited(0))
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["crash.html"])
    }

    @Test("A page that cannot be written is told with its path and the reason, before the work")
    func unwritable() throws {
        let missing = directory.path("no/such.html")
        let result = try dumpConvert("show", Sample.dumpPath, "--html", missing)
        #expect(result.ending == .exited(1))
        #expect(
            result.standardError
                == "dump-convert: cannot write \(missing): No such file or directory\n")
        let place = try dumpConvert("show", Sample.dumpPath, "--html", directory.path)
        place.expectFailure(1, saying: "\(directory.path) is a directory")
    }

    @Test(
        "A full disk or a reader that goes away is treated as with text",
        arguments: ["--json", "--html=-"])
    func output(option: String) throws {
        let errors = directory.path("errors")
        let full = try Subprocess.spawn(
            [Products.executable("dump-convert"), "show", Sample.dumpPath, option],
            output: "/dev/full", error: errors)
        #expect(Subprocess.wait(for: full, deadlineSeconds: 30) == .exited(1))
        #expect(
            try String(contentsOfFile: errors, encoding: .utf8)
                == "dump-convert: cannot write to standard output: No space left on device\n")
        let script = "\"$0\" show \"$1\" \(option) | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}"
        let piped = try Subprocess.run(
            ["bash", "-c", script, Products.executable("dump-convert"), Sample.dumpPath])
        #expect(piped.standardOutput == "0\n" && piped.standardError == "")
    }
}
