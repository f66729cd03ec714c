// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("The name epitaph")
struct SecondNameTests {
    /// Runs the program by a link of that name.
    private func run(_ words: String..., name: String = "epitaph") throws -> Subprocess {
        let directory = try TemporaryDirectory()
        let link = directory.path(name)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: Products.executable("dump-convert"))
        return try Subprocess.run([link] + words)
    }

    @Test("Help, version and complaints use the name that the program was called by")
    func name() throws {
        let help = try run("--help")
        #expect(help.standardOutput.hasPrefix("Usage: epitaph COMMAND"))
        #expect(!help.standardOutput.contains("dump-convert"))
        #expect(try run("show", "--help").standardOutput.contains("epitaph show latest"))
        #expect(try run("--version").standardOutput.hasPrefix("epitaph "))
        let wrong = try run("shw")
        #expect(wrong.ending == .exited(2))
        #expect(wrong.standardError.hasPrefix("epitaph: there is no command \"shw\""))
        #expect(wrong.standardError.contains("see \"epitaph --help\""))
    }

    @Test("Under any other name it is dump-convert")
    func otherName() throws {
        #expect(try run("--help", name: "dc").standardOutput.hasPrefix("Usage: dump-convert "))
    }
}
