// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Without the library; CEpitaphTests has processes that are covered.
@Suite("dump-convert covered")
struct CoveredTests {
    /// What is said of `program` while it runs, and of its child.
    private func said(of program: String, _ arguments: [String]) throws -> Subprocess {
        let script = "\"$@\" & sleep 0.5; \"$0\" covered $!; s=$?; kill $!; exit $s"
        return try Subprocess.run(
            ["sh", "-c", script, Products.executable("dump-convert"), program] + arguments)
    }

    @Test("A program is not covered whose environment does not name the library")
    func without() throws {
        let result = try said(of: "sleep", ["20"])
        #expect(result.ending == .exited(1))
        #expect(result.standardOutput.contains("  sleep  not covered: LD_PRELOAD of its "))
    }

    @Test("Descendants are listed, too")
    func descendants() throws {
        let result = try said(of: "sh", ["-c", "sleep 2; true"])
        #expect(result.standardOutput.contains("  sh  not covered: "))
        #expect(result.standardOutput.contains("  sleep  not covered: "))
    }

    @Test("A static program is not covered because of that")
    func unlinked() throws {
        let directory = try TemporaryDirectory()
        let source = directory.path("static.c")
        let text = "#include <unistd.h>\nint main(void) { return (int)sleep(20); }\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: source))
        try runTool(["cc", "-static", source, "-o", directory.path("static")])
        let result = try said(of: directory.path("static"), [])
        #expect(result.standardOutput.hasSuffix("  static  not covered: it is statically linked\n"))
    }

    @Test("There may be no such process and no such unit", arguments: ["0", "no-such-unit"])
    func missing(name: String) throws {
        let result = try dumpConvert(["covered", name])
        result.expectFailure(3, saying: "there is no process of \(name)")
    }
}
