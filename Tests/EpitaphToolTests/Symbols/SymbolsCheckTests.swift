// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert symbols check")
struct SymbolsCheckTests {
    let directory: TemporaryDirectory
    let dump: String
    let program: String

    /// A crash of a program whose file is still there.
    init() throws {
        directory = try TemporaryDirectory()
        program = directory.path("daemon")
        try FileManager.default.copyItem(
            atPath: Victim.c.path, toPath: program)
        _ = try Subprocess.run([program, directory.path("db"), "null-write"])
        let pending = directory.path("db/pending-dumps")
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: pending).first {
                !$0.hasSuffix(".locked")
            })
        dump = pending + "/" + name
    }

    private func check(
        _ words: String..., environment: [String: String] = [:]
    ) throws -> (Subprocess, [String: Any]) {
        let result = try dumpConvert(
            ["symbols", "check", "--json", dump] + words, environment: environment)
        let json = try jsonObject(result.standardOutput)
        let reports = try #require(json["reports"] as? [[String: Any]])
        return (result, try #require(reports.first))
    }

    private func module(_ name: String, _ report: [String: Any]) throws -> [String: Any] {
        let modules = try #require(report["modules"] as? [[String: Any]])
        return try #require(modules.first { ($0["path"] as? String)?.hasSuffix(name) == true })
    }

    private func frames(_ options: String...) throws -> [String] {
        let shown = try dumpConvert(["show", "--json", dump] + options)
        let json = try jsonObject(shown.standardOutput)
        let threads = try #require(json["threads"] as? [[String: Any]])
        return threads.flatMap { thread in
            ((thread["stack"] as? [String: Any])?["frames"] as? [[String: Any]] ?? []).map {
                "\($0["function"] ?? "") \(($0["source"] as? [String: Any])?["line"] ?? "")"
            }
        }
    }

    @Test(
        "With the program's file all is at hand; without it, it says what is missing and from where"
    )
    func gone() throws {
        let (whole, before) = try check()
        #expect(whole.ending == .exited(0), "\(whole.standardOutput)")
        #expect(try module("/daemon", before)["state"] as? String == "complete")
        let shown = try frames()
        let store = directory.path("store")
        try dumpConvertOutput("symbols", "collect", "-o", store, program)

        try FileManager.default.removeItem(atPath: program)
        let (result, after) = try check(environment: ["DEBUGINFOD_URLS": "http://127.0.0.1:1"])
        #expect(result.ending == .exited(1))
        #expect(after["canNameStacks"] as? Bool == false)
        let lost = try module("/daemon", after)
        #expect(lost["state"] as? String == "incomplete")
        #expect(lost["missing"] as? [String] == ["executable", "debugInformation"])
        let sources = try #require(lost["sources"] as? [String])
        #expect(sources.contains { $0.contains("http://127.0.0.1:1") })
        #expect(sources.contains { $0.contains("dump-convert symbols collect \(program) -o DIR") })

        let (stored, fromStore) = try check("--symbols", store)
        #expect(stored.ending == .exited(0), "\(stored.standardOutput)")
        let found = try module("/daemon", fromStore)
        #expect(found["state"] as? String == "complete")
        #expect((found["executable"] as? String)?.hasPrefix(store) == true)
        #expect(try frames("--symbols", store) == shown)
    }

    @Test("Modules are said in words, with the package of their debug information")
    func words() throws {
        let text = try dumpConvert("symbols", "check", dump).standardOutput
        #expect(text.contains(#/complete    \S*/daemon  [0-9a-f]{40}  \d+ frames/#))
        #expect(text.contains("\nevery frame has a name; "))
        let libc = text.split(separator: "\n\n").first { $0.contains("missing: debug information") }
        if libc != nil { #expect(text.contains("source: the package libc6-dbg")) }
        let all = try dumpConvert("symbols", "check", "--all-modules", dump).standardOutput
        #expect(all.split(separator: "\n").count > text.split(separator: "\n").count)
    }

    @Test("Options of the other action, and reports that are not there, are refused")
    func refused() throws {
        #expect(try dumpConvert("symbols", "check", "--no-libraries", dump).ending == .exited(2))
        #expect(try dumpConvert("symbols", "collect", program).ending == .exited(2))
        #expect(try dumpConvert("symbols", "collect", "-o", "x").ending == .exited(2))
        #expect(try dumpConvert("symbols", "check", directory.path("no")).ending == .exited(3))
        let both = try dumpConvert("symbols", "check", dump, directory.path("no"))
        #expect(both.ending == .exited(3))
        #expect(both.standardOutput.contains("/daemon"))
    }
}
