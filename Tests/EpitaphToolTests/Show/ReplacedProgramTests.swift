// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Programs and libraries that a package upgrade deletes or replaces while they run, from the crash
/// to the text that people read. What is right is what the same dump shows with the lost files.
@Suite struct ReplacedProgramTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func copy(_ from: String, to name: String) throws {
        try runTool(["cp", from, directory.path(name)])
    }

    /// One that can be followed by its unwind tables alone.
    private func library(_ name: String, answer: Int) throws {
        let source = """
            #include <string.h>
            int call_from_library(void (*call)(void)) {
                char room[2048 * \(answer)];
                memset(room, \(answer), sizeof room);
                call();
                return room[\(answer)];
            }
            """
        try source.write(toFile: directory.path("\(name).c"), atomically: true, encoding: .utf8)
        try runTool([
            "gcc", "-O2", "-fomit-frame-pointer", "-shared", "-fPIC", "-o", directory.path(name),
            directory.path("\(name).c"),
        ])
    }

    /// Runs a copy of the dummy and returns the path of its dump.
    private func crash(_ way: String) throws -> String {
        let folder = directory.path("originals")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try copy(Victim.c.path, to: "originals/program")
        try copy(Victim.c.path, to: "program")
        try library("originals/library.so", answer: 1)
        try copy(directory.path("originals/library.so"), to: "library.so")
        try library("next.so", answer: 3)
        try copy(way.hasSuffix("library") ? directory.path("next.so") : "/bin/true", to: "new")
        let run = try Subprocess.run(
            [directory.path("program"), directory.path("db"), way, "2"],
            environment: [
                "REPLACEMENT": directory.path("new"), "LIBRARY": directory.path("library.so"),
            ])
        #expect(run.ending == .signalled(SIGSEGV), "\(run.standardError)")
        let pending = directory.path("db/pending-dumps")
        let names = try FileManager.default.contentsOfDirectory(atPath: pending)
        #expect(names.count == 1)
        return pending + "/" + (try #require(names.first))
    }

    /// With full names no frame is folded away: without its file, Epitaph's are not known as such.
    private func show(_ dump: String, _ options: [String] = []) throws -> String {
        try dumpConvertOutput(["show", "--all-threads", "--full-names"] + options + [dump])
    }

    #if DEBUG
        private static let leastFrames = 12
    #else
        // Some are part of other functions.
        private static let leastFrames = 10
    #endif

    /// Module and offset of every frame of every thread, in order, without its name.
    private func places(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.hasPrefix("  #") }.compactMap {
            $0.matches(of: #/in ([^ ]+\+0x[0-9a-f]+)/#).last.map(\.1)
        }
    }

    @Test(
        "Every caller is there, none is invented, and the report says what became of the file",
        arguments: [
            ("deleted", "/program was deleted while it ran\n"),
            ("replaced", "/program was replaced while it ran: its build id is "),
            ("replaced-library", "/library.so was replaced while it ran: its build id is "),
        ])
    func callers(_ way: String, _ words: String) throws {
        let dump = try crash(way)
        let truth = try show(dump, ["--symbols", directory.path("originals")])
        #expect(truth.contains("null_write at "))
        #expect(!truth.contains(words))
        let shown = try show(dump)
        #expect(places(shown).count >= Self.leastFrames)
        #expect(places(shown) == places(truth))
        #expect(shown.contains(words), "\(shown)")
        #expect(shown.contains("the report is complete"))
    }

    @Test("A library whose link leads to another version is read by its own name")
    func symbolicLink() throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: directory.path("originals"), withIntermediateDirectories: true)
        try library("libx.so.1", answer: 1)
        try library("libx.so.2", answer: 3)
        try copy(Victim.c.path, to: "program")
        try files.createSymbolicLink(
            atPath: directory.path("library.so"), withDestinationPath: directory.path("libx.so.1"))
        try files.createSymbolicLink(
            atPath: directory.path("new"), withDestinationPath: directory.path("libx.so.2"))
        _ = try Subprocess.run(
            [directory.path("program"), directory.path("db"), "replaced-library", "0"],
            environment: [
                "REPLACEMENT": directory.path("new"), "LIBRARY": directory.path("library.so"),
            ])
        let pending = directory.path("db/pending-dumps")
        let name = try #require(try files.contentsOfDirectory(atPath: pending).first)
        let shown = try show(pending + "/" + name)
        #expect(shown.contains(#/#1 +call_from_library\+0x[0-9a-f]+ in library.so/#), "\(shown)")
        #expect(shown.contains("the report is complete"))

        // Written over in place: the names say nothing of when.
        try files.removeItem(atPath: directory.path("library.so"))
        try files.createSymbolicLink(
            atPath: directory.path("library.so"), withDestinationPath: directory.path("libx.so.1"))
        try copy(directory.path("libx.so.2"), to: "libx.so.1")
        let after = try show(pending + "/" + name)
        #expect(after.contains("/library.so is not the file that was loaded"), "\(after)")
    }
}
