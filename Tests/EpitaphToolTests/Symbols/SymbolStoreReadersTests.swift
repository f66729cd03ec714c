// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A store is of use if those read it who know nothing of us.
@Suite("A store of symbols and its readers")
struct SymbolStoreReadersTests {
    let directory: TemporaryDirectory
    let store: String
    let program: String
    let buildID: String

    /// A program that is stripped after it was collected, so that only the store has its symbols.
    init() throws {
        directory = try TemporaryDirectory()
        store = directory.path("store")
        program = directory.path("program")
        try directory.write(Array(SymbolsCollectTests.source.utf8), to: "main.c")
        try runTool([
            "clang", "-O1", "-g", "-Wl,--build-id", "-o", program, directory.path("main.c"),
        ])
        buildID = try ELFImage(try FileBytes.contents(of: program)).buildID.hexDigits
        try dumpConvertOutput("symbols", "collect", "-o", store, program)
        try runTool(["strip", program])
    }

    @Test("gdb finds lines of a stripped program in it")
    func gdb() throws {
        let result = try Subprocess.run([
            "gdb", "-nx", "-batch", "-ex", "set debug-file-directory \(store)", "-ex",
            "file \(program)", "-ex", "info line outer",
        ])
        #expect(result.standardOutput.contains(#/Line [23] of "[^"]*main\.c"/#))
    }

    @Test("lldb finds lines of a stripped program in it")
    func lldb() throws {
        let result = try Subprocess.run([
            "/usr/bin/lldb", "-x", "-b", "-o",
            "settings set target.debug-file-search-paths \(store)", "-o",
            "target create \(program)", "-o", "image lookup -v -n outer",
        ])
        #expect(result.standardOutput.contains("outer at main.c:3"), "\(result.standardError)")
    }

    @Test(
        "debuginfod serves the executable and the debug information",
        .enabled(if: Toolchain.executable("debuginfod") != nil, "debuginfod is not installed"))
    func debuginfod() throws {
        let server = try SymbolServer(serving: store, knowing: buildID)
        for kind in ["executable", "debuginfo"] {
            let target = directory.path(kind)
            let url = "\(server.url)/buildid/\(buildID)/\(kind)"
            let isThere = eventually(withinSeconds: 60) {
                (try? Subprocess.run(["curl", "-sf", "--noproxy", "*", "-o", target, url]))?.ending
                    == .exited(0)
            }
            try #require(isThere, "\(url)")
            let kept = "\(store)/.build-id/\(buildID.prefix(2))/\(buildID.dropFirst(2))"
            #expect(
                try directory.contents(kind) == Array(Data(contentsOf: URL(fileURLWithPath: kept))))
        }
    }
}
