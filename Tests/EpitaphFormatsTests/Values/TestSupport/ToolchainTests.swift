// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("The tools that tests run")
struct ToolchainTests {
    @Test("Compilers are the toolchain's own, in programs and in shells that tests start")
    func ownCompilers() throws {
        let directory = try #require(
            Toolchain.directory, "the Swift runtime of this process is not part of a toolchain")
        for name in ["clang", "clang++", "swiftc"] {
            let found = try Subprocess.run(["sh", "-c", "command -v \(name)"])
            #expect(found.standardOutput == "\(directory)/\(name)\n")
        }
        let version = try Subprocess.run(["clang", "--version"])
        #expect(version.standardOutput.contains("InstalledDir: \(directory)\n"))
    }

    @Test("A PATH that begins with other tools changes nothing", arguments: ["clang", "gcc", "nm"])
    func misleadingPath(name: String) throws {
        let directory = try TemporaryDirectory()
        let wrong = try directory.write(Array("#!/bin/sh\nexit 9\n".utf8), to: name)
        try #require(chmod(wrong, 0o755) == 0)
        let path = Toolchain.searchPath(behind: directory.path)
        let found = try Subprocess.run(
            ["sh", "-c", "command -v \(name)"], environment: ["PATH": path])
        #expect(found.ending == .exited(0))
        #expect(!found.standardOutput.contains(directory.path), "\(found.standardOutput)")
        let script = try Subprocess.run(
            [Products.packageRoot + "/Scripts/tool-path"],
            environment: ["PATH": "\(directory.path):\(Toolchain.searchPath)"])
        #expect(script.ending == .exited(0), "\(script.standardError)")
        let folders = script.standardOutput.split(separator: ":")
        #expect(folders.first.map(String.init) == Toolchain.directory)
        #expect(
            folders.firstIndex(of: "/usr/bin") ?? 99 < folders.firstIndex { $0 == directory.path }
                ?? 0)
    }

    @Test("What a program names by a relative path does not stay behind")
    func relativePath() throws {
        let written = try Subprocess.run(["sh", "-c", "pwd; : > left-behind; ls"])
        let lines = written.standardOutput.split(separator: "\n")
        #expect(lines.last == "left-behind")
        let path = try #require(lines.first.map(String.init))
        #expect(!path.hasPrefix(Products.packageRoot))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
