// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The bridges of docs/bridges.md, as they stand there, in a program that uses them.
@Suite struct BridgeTests {
    private static let modules = ["Logging", "ServiceLifecycle", "Hummingbird"]

    private static func shape(_ name: String) -> String {
        Products.packageRoot + "/Tests/BridgeShapes/\(name).swift"
    }

    private static func compile(_ arguments: [String]) throws {
        let result = try Subprocess.run(
            ["swiftc", "-swift-version", "6", "-parse-as-library"] + arguments,
            deadlineSeconds: 300)
        try #require(result.ending == .exited(0), "\(result.standardError)")
    }

    /// What the page says, each block in a file of its own.
    private static func bridges(in directory: TemporaryDirectory) throws -> [String] {
        try PageBlock.all(of: "docs/bridges.md").enumerated().map { index, block in
            var lines = block.code
            if !lines.contains(where: { $0.hasPrefix("struct ") }) {
                let start = lines.firstIndex { !$0.isEmpty && !$0.hasPrefix("import ") } ?? 0
                lines.insert("func bootstrap() {", at: start)
                lines.append("}")
            }
            return try directory.write(
                Array(lines.joined(separator: "\n").utf8), to: "bridge\(index).swift")
        }
    }

    private static func build(in directory: TemporaryDirectory) throws -> String {
        for name in modules {
            try compile(
                ["-c", "-module-name", name, "-emit-module-path"]
                    + [directory.path("\(name).swiftmodule"), "-o", directory.path("\(name).o")]
                    + [shape(name)])
        }
        // The objects of a program that uses Epitaph, without its own.
        let list = Products.directory + "/example-daemon.product/Objects.LinkFileList"
        let objects = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: ["'", "\""]) }
            .filter { !$0.contains("/EpitaphExample.build/") && !$0.hasSuffix("/EpitaphExample.o") }
        try directory.write(Array(objects.joined(separator: "\n").utf8), to: "objects")
        let program = directory.path("bridged")
        try compile(
            ["-module-name", "Bridged", "-I", directory.path, "-o", program, "-lz"]
                + PageCompiler.moduleOptions() + [shape("Program")] + bridges(in: directory)
                + modules.map { directory.path("\($0).o") } + ["@" + directory.path("objects")])
        return program
    }

    private func shown(_ report: String, in database: String) throws -> String {
        let result = try Subprocess.run([
            Products.executable("dump-convert"), "show", "--no-symbols", "--json",
            "\(database)/pending/\(report).dmp",
        ])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        return result.standardOutput
    }

    @Test("The page has three bridges of fewer than forty lines")
    func short() throws {
        let blocks = try PageBlock.all(of: "docs/bridges.md")
        let bridges = blocks.filter { $0.code.contains { $0.hasPrefix("struct ") } }
        #expect(bridges.map(\.question) == ["swift-log", "swift-service-lifecycle", "Hummingbird"])
        for bridge in bridges {
            #expect(bridge.code.filter { !$0.isEmpty }.count < 40, "\(bridge.place)")
        }
    }

    @Test("Log lines, requests and the end of a service group are in reports as they should be")
    func bridged() throws {
        let directory = try TemporaryDirectory()
        let program = try Self.build(in: directory)
        let database = directory.path("db")
        let result = try Subprocess.run([program, database], deadlineSeconds: 120)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        try #require(lines.count == 7, "\(result.standardOutput)")
        let (first, second, last) = (
            try shown(lines[0], in: database), try shown(lines[1], in: database),
            try shown(lines[4], in: database)
        )
        // The log line, its metadata in parts, and what is secret masked.
        for text in ["a timeout", "\"shard\"", "LedgerIsGone", "headers.accept", "[hidden]"] {
            #expect(first.contains(text), "\(text)")
        }
        #expect(!first.contains("Bearer") && !first.contains("not wanted"))
        // The request, and no other.
        #expect(first.contains("/ledger/r-1") && !first.contains("/ledger/r-2"))
        #expect(second.contains("/ledger/r-2") && !second.contains("/ledger/r-1"))
        #expect(!last.contains("/ledger/r-"))
        #expect(last.contains("services are running") && last.contains("services are shut down"))
        #expect(lines[2...3] == ["thrown: NotFound", "thrown: LedgerIsGone"])
        #expect(lines[5] == "errors: [\"Bridged.LedgerIsGone\"]")
        #expect(lines[6] == "unwritten: 0")
    }
}
