// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A program that depends on EpitaphCapture alone, and what the operator makes of its dumps.
@Suite struct CaptureOnlyTests {
    private static let program = Result { try CaptureProgram() }

    private let directory: TemporaryDirectory
    private let attachment: String

    init() throws {
        directory = try TemporaryDirectory()
        attachment = try directory.write(Array("the last line\n".utf8), to: "service.log")
    }

    private func run(_ way: String) throws -> Subprocess {
        try Subprocess.run([try Self.program.get().path, way, directory.path("db"), attachment])
    }

    private func dumpConvert(_ command: String, _ arguments: String...) throws -> Subprocess {
        try Subprocess.run(
            [Products.executable("dump-convert"), command, "--database", directory.path("db")]
                + arguments,
            environment: ["NO_COLOR": "1"])
    }

    /// The libraries that the loader brings into a program, ld.so(8).
    private func libraries(of program: String) throws -> String {
        let result = try Subprocess.run(
            [program], environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
        try #require(result.standardOutput.contains("libc.so"))
        return result.standardOutput
    }

    @Test("It loads neither Foundation nor zlib, and the whole client loads both")
    func dependencies() throws {
        let capture = try libraries(of: Self.program.get().path)
        let whole = try libraries(of: Victim.facade.path)
        for name in ["Foundation", "libz.so"] {
            #expect(!capture.contains(name))
            #expect(whole.contains(name))
        }
        for name in ["libcurl", "libdw.", "libunwind", "libicu"] {
            #expect(!capture.contains(name))
        }
    }

    @Test("Its crash becomes a report with attribute, scope, breadcrumb and attachment")
    func crash() throws {
        #expect(try run("crash").ending == .signalled(SIGSEGV))
        let processed = try dumpConvert("process")
        #expect(processed.ending == .exited(0))
        let id = String(processed.standardOutput.prefix { $0 != " " })
        let report = try dumpConvert("show", "--json", id).standardOutput
        for text in ["SIGSEGV", "connections", "17", "request", "r-42", "listening", "8080"] {
            #expect(report.contains(text), "\(text) is missing")
        }
        #expect(
            try directory.contents("db/attachments/\(id)/service.log")
                == Array("the last line\n".utf8))
    }

    @Test("A live dump has the name that its report's id is taken from")
    func liveDump() throws {
        let name = try run("live").standardOutput.split(separator: "\n").joined()
        #expect(name.hasPrefix("org.example.capture@"))
        let processed = try dumpConvert("process")
        #expect(processed.standardOutput.hasSuffix(" \(name)\n"))
        #expect(processed.standardOutput.hasPrefix(String(name.dropFirst(20))))
    }

    @Test("How many allocations were watched can be asked, and why none is")
    func heap() throws {
        let arguments = [try Self.program.get().path, "heap", directory.path("db"), attachment]
        let heap = try InstalledLibrary.glibc.get().heap
        let watched = try Subprocess.run(arguments, environment: ["LD_PRELOAD": heap])
        #expect(watched.standardOutput == "watched 0\n", "\(watched.standardError)")
        #expect(try run("heap").standardOutput.contains("libepitaph-heap is not in this process"))
    }

    @Test("What can be asked of the capture is answered")
    func health() throws {
        #expect(
            try run("health").standardOutput
                == "true 0\nno breadcrumb file was asked for, or Epitaph is not started\n"
                + "true true\nfalse\n")
    }
}
