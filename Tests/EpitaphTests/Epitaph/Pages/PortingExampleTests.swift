// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The first examples on the page for those who come from another SDK, built from the page's own
/// lines into one program and run, with the database and the server that the environment names.
@Suite(.serialized, .timeLimit(.minutes(45))) final class PortingExampleTests {
    private static let page = "docs/coming-from-another-sdk.md"
    private let directory: TemporaryDirectory
    private let server: IntakeServer

    init() throws {
        directory = try TemporaryDirectory()
        server = try IntakeServer()
    }

    /// The blocks in the order of the page, then the log uploader's, which logs.md has.
    private static let blocks = Result {
        try PageBlock.all(of: page) + PageBlock.all(of: "docs/logs.md").prefix(1)
    }

    /// Compiled once. Its arguments: the heading above the block, what to do after it, a file that
    /// ends it once it is there, a directory of logs and the address of their server.
    private static let program = Result { () throws -> (TemporaryDirectory, String) in
        let directory = try TemporaryDirectory()
        let blocks = try PortingExampleTests.blocks.get()
        var files = try blocks.enumerated().map { index, block in
            let text = block.swiftFile(number: index)
                .replacing("\"https://logs.example.org/", with: "CommandLine.arguments[5] + \"/")
                .replacing("\"/var/log/exampled\"", with: "CommandLine.arguments[4]")
                // Before the block's values go.
                .replacing("#sourceLocation()\n}", with: "#sourceLocation()\nProgram.goOn()\n}")
            return try directory.write(Array(text.utf8), to: "block\(index).swift")
        }
        let cases = blocks.enumerated().map { index, block in
            "case \"\(block.question)\": try await block\(index)()"
        }
        let main = """
            import Epitaph
            import Glibc

            @main enum Program {
                static func main() async throws {
                    switch CommandLine.arguments[1] {
                    \(cases.joined(separator: "\n"))
                    default: exit(64)
                    }
                }

                static func goOn() {
                    switch CommandLine.arguments[2] {
                    case "crash": UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
                    case "report": Epitaph.report(message: "something is wrong")
                    default: break
                    }
                    while access(CommandLine.arguments[3], F_OK) != 0 {
                        fflush(nil)
                        usleep(10_000)
                    }
                    Epitaph.stop()
                }
            }
            """
        files.append(try directory.write(Array(main.utf8), to: "Program.swift"))
        let objects = try ["example-daemon", "dump-convert"].reduce(into: Set<Substring>()) {
            let list = Products.directory + "/\($1).product/Objects.LinkFileList"
            $0.formUnion(try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n"))
        }.filter { !$0.contains("/EpitaphExample.build/") && !$0.contains("/EpitaphTool.build/") }
        let list = try directory.write(
            Array(objects.joined(separator: "\n").utf8), to: "objects")
        let built = try Subprocess.run(
            ["swiftc", "-swift-version", "6", "-suppress-warnings", "-parse-as-library"]
                + ["-module-name", "Ported", "-o", directory.path("ported"), "@" + list]
                + PageCompiler.moduleOptions() + files,
            deadlineSeconds: 600)
        guard built.ending == .exited(0) else {
            throw CrashingProgram.CompilerFailed(output: built.standardError)
        }
        return (directory, directory.path("ported"))
    }

    /// - Returns: what it printed.
    @discardableResult
    private func run(
        _ heading: String, then: String = "wait", logs: String = "", logServer: String = "",
        until isEnough: (String) -> Bool
    ) throws -> String {
        let (_, program) = try Self.program.get()
        let (output, end) = (directory.path("output"), directory.path("end"))
        for path in [output, end] { unlink(path) }
        let process = try Subprocess.spawn(
            [program, heading, then, end, logs, logServer],
            environment: [
                "EPITAPH_DATABASE": directory.path("db"), "EPITAPH_DESTINATION": server.reportsURL,
                "EPITAPH_EVENT_DESTINATION": server.eventsURL, "EPITAPH_UPLOADS": "yes",
                "no_proxy": "127.0.0.1", "SWIFT_BACKTRACE": "enable=no",
            ], output: output, error: output)
        func text() -> String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
        #expect(eventually(withinSeconds: 60) { isEnough(text()) }, "\(text())")
        try directory.write([], to: "end")
        let ending = Subprocess.wait(for: process, deadlineSeconds: 60)
        #expect(ending == (then == "crash" ? .signalled(SIGSEGV) : .exited(0)), "\(text())")
        return text()
    }

    /// The values of a field in the reports that the server has.
    private func sent(_ field: String) -> [String] {
        server.reports.compactMap { $0.fields[field] as? String }
    }

    @Test("The delegate has its say about a report, and learns where it is")
    func delegate() throws {
        let output = try run("A delegate", then: "report") { $0.contains(" there\n") }
        #expect(output.hasSuffix(" is intake-1 there\n"), "\(output)")
        #expect(sent("site") == ["fra1"])
    }

    @Test("Crashpad's: a dump without a crash is at the server, with the client's annotation")
    func crashpad() throws {
        try run("Crashpad") { _ in server.reports.count == 1 }
        #expect(sent("plan") == ["free"] && server.complaints == "")
    }

    @Test("Backtrace's: the message is at the server with its attribute, and the program knows it")
    func backtrace() throws {
        let output = try run("Backtrace Cocoa") { $0.contains("sent(") }
        #expect(output == "sent(serverID: \"intake-1\")\n")
        #expect(sent("shard") == ["7"])
    }

    @Test("App Center's: the next launch tells of the crash, and errors come with their properties")
    func appCenter() throws {
        let first = try run("App Center Crashes", then: "crash") { _ in true }
        #expect(first == "")
        let second = try run("App Center Crashes") { !$0.isEmpty && server.reports.count >= 2 }
        #expect(second.contains("wrote to offset 0x8 of a null pointer"), "\(second)")
        #expect(Set(sent("ledger")) == ["7"], "\(server.reports.map(\.fields))")
    }

    @Test("AutoMobile's: the event, the error and the breadcrumb before it are at the server")
    func autoMobile() throws {
        func report() -> String? {
            try? FileManager.default.contentsOfDirectory(atPath: directory.path("db/completed"))
                .first { $0.hasSuffix(".dmp") }
        }
        // The report moves after the server has answered.
        try run("AutoMobile SDK for iOS") { _ in
            server.reports.count == 1 && server.told("custom", "name") == ["checkout"]
                && report() != nil
        }
        let completed = try #require(report())
        let shown = try Subprocess.run([
            Products.executable("dump-convert"), "show", "--no-symbols",
            directory.path("db/completed/" + completed),
        ])
        #expect(shown.standardOutput.contains("opened the ledger"))
        #expect(shown.standardOutput.contains("NoLedger"))
    }

    @Test("The log uploader's: what was rolled is at the server, and gone from the disk")
    func logs() throws {
        let logs = try LogServer()
        let folder = directory.path("logs")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let log = try directory.write(Array("a line\n".utf8), to: "logs/app.log.1")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: log)
        try run(
            "Rolled logs", logs: folder,
            logServer: String(logs.url.dropLast("/{uuid}/{file}".count))
        ) { _ in !FileManager.default.fileExists(atPath: folder + "/app.log.1") }
        #expect(logs.received.count == 1 && logs.complaints == "")
    }
}
