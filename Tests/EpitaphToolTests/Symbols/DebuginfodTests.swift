// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Symbol servers and dump-convert show")
struct DebuginfodTests {
    let directory: TemporaryDirectory
    let program: String
    let buildID: String
    let minidump: String

    init() throws {
        directory = try TemporaryDirectory()
        // debuginfod 0.188 overlooks the first file of a unit of DWARF 5.
        program = try CrashingProgram.compile(["-O1", "-gdwarf-4"], in: directory)
        try FileManager.default.setAttributes(
            [.modificationDate: (Timestamp.now.adding(seconds: -60)).date],
            ofItemAtPath: directory.path("crash.c"))
        buildID = try ELFImage(FileBytes.contents(of: program)).buildID.hexDigits
        let crash = try DebuggedProgram(running: [program, "inlining"], in: directory)
        minidump = try directory.write(Sample.minidump(crash.snapshot), to: "crash.dmp")
    }

    @Test(
        "explain a report of a deleted program as the program itself did",
        .enabled(if: SymbolServer.isInstalled, "debuginfod is not installed"))
    func served() throws {
        let forms = [[], ["--json"], ["--html", "-"]]
        let before = try forms.map { try show($0) }
        #expect(before[0].contains(#/#0 +inner at .*, inlined\n/#))
        #expect(before[0].contains(" │ static inline"))
        let served = directory.path("served")
        try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: program, toPath: served + "/other-name")
        #expect(try !show([]).contains("crash.c"))
        let server = try SymbolServer(serving: served, knowing: buildID)
        let after = try forms.map { try show($0, server: server.url) }
        let note = "from symbol servers: crash"
        for (before, after) in zip(before, after) {
            #expect(after.contains(note))
            #expect(withoutNotes(before) == withoutNotes(after))
        }
        // From the cache, even when no server is there any more.
        let cached = try show([], server: "http://127.0.0.1:1")
        #expect(withoutNotes(cached) == withoutNotes(before[0]))
        #expect(try !show(["--no-debuginfod"], server: server.url).contains("crash.c"))
    }

    @Test(
        "that stall, fail or send something else cost a sentence and a bounded time",
        arguments: [
            ("missing", nil as String?),
            ("refused", "was not asked any more: Connection refused"),
            ("stall", "was not asked any more: "),
            ("stall-in-body", "was not asked any more: "),
            ("endless", "was not asked any more: it sent more than 1 MiB for"),
            ("huge", "was not fetched from"),
            ("lie", "has another file as the executable file of crash: its build id is "),
        ])
    func hostile(way: String, note: String?) throws {
        let other = directory.path("other")
        try FileManager.default.moveItem(atPath: program, toPath: other)
        let source = "int main(void) { return 1; }\n"
        let lie = try CrashingProgram.compile(["-g"], in: directory, source: source)
        let server =
            way == "refused" ? nil : try TestServer("symbol_server.py", [way, lie])
        try FileManager.default.removeItem(atPath: lie)
        let url = "http://127.0.0.1:\(server?.port ?? 1)"
        let text = try show(
            [], server: url,
            environment: ["DEBUGINFOD_TIMEOUT": "1", "DEBUGINFOD_MAXSIZE": "\(1 << 20)"])
        #expect(text.contains("SIGSEGV"))
        #expect(!text.contains("crash.c"))
        if let note {
            #expect(text.contains(note), "\(text)")
            #expect(text.contains(url))
        }
        let asked = (server?.text("asked") ?? url).split(separator: "\n")
        // The library itself asks some failing servers again, with the same request.
        let isGivenUp = !["missing", "huge", "lie"].contains(way)
        let requests = Set(asked.filter { $0.contains(buildID) || server == nil })
        #expect(requests.count == (isGivenUp ? 1 : 2))
        let kept = FileManager.default.enumerator(atPath: directory.path("cache"))
        let files = (kept?.allObjects as? [String] ?? []).filter { $0.contains(buildID + "/") }
        // Only what all servers answered is remembered.
        #expect(files.isEmpty == (way != "missing"), "\(files)")
    }

    @Test(
        "leave nothing in a directory of another user that HOME names to root",
        .enabled(if: geteuid() == 0, "only root may write there"))
    func foreignHome() throws {
        let home = directory.path("home")
        let temporary = directory.path("tmp")
        for path in [home, temporary] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        }
        try #require(chown(home, 65_534, 65_534) == 0)
        try FileManager.default.removeItem(atPath: program)
        let server = try TestServer("symbol_server.py", ["missing"])
        let text = try show(
            [], server: "http://127.0.0.1:\(server.port)",
            environment: [
                "DEBUGINFOD_CACHE_PATH": "", "XDG_CACHE_HOME": "", "HOME": home,
                "TMPDIR": temporary,
            ])
        #expect(server.text("asked").contains(buildID))
        #expect(
            text.contains(
                "what symbol servers sent was not kept: \(home) belongs to another user"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
    }

    @Test("are not asked by a command that reads many reports unless it is to")
    func off() throws {
        let server = try TestServer("symbol_server.py", ["missing"])
        let url = ["DEBUGINFOD_URLS": "http://127.0.0.1:\(server.port)"]
        let database = directory.path("db")
        for arguments in [
            ["list", "--group", "--database", database], ["process", "--database", database],
            ["convert", "-o", directory.path("copy.dmp"), minidump],
        ] {
            _ = try dumpConvert(arguments, environment: url)
        }
        #expect(server.text("asked") == "")
        let unset = try dumpConvert(
            "list", "--group", "--debuginfod", "--database", database,
            environment: ["DEBUGINFOD_URLS": ""])
        #expect(unset.ending != .exited(0))
    }

    @Test(
        "give a report its names for good when process is to ask them",
        .enabled(if: SymbolServer.isInstalled, "debuginfod is not installed"),
        arguments: [true, false])
    func filed(isAsked: Bool) throws {
        let files = FileManager.default
        let dummy = directory.path("dummy")
        let database = directory.path("db")
        try files.copyItem(atPath: Victim.c.path, toPath: dummy)
        let run = try Subprocess.run([dummy, database, "null-write", "0"])
        #expect(run.ending == .signalled(SIGSEGV), "\(run.standardError)")
        let served = directory.path("served")
        try files.createDirectory(atPath: served, withIntermediateDirectories: false)
        try files.moveItem(atPath: dummy, toPath: served + "/dummy")
        let id = try ELFImage(FileBytes.contents(of: served + "/dummy")).buildID.hexDigits
        let server = try SymbolServer(serving: served, knowing: id)
        try dumpConvertOutput(
            ["process", "--database", database] + (isAsked ? ["--debuginfod"] : []),
            environment: [
                "DEBUGINFOD_URLS": server.url, "DEBUGINFOD_CACHE_PATH": directory.path("cache"),
            ])
        let shown = try dumpConvert(
            "show", "--no-debuginfod", "--database", database, "latest")
        #expect(shown.standardOutput.contains("null_write at ") == isAsked, "\(shown)")
    }

    private func show(
        _ options: [String], server: String = "", environment: [String: String] = [:]
    ) throws -> String {
        var variables = [
            "DEBUGINFOD_URLS": server, "DEBUGINFOD_CACHE_PATH": directory.path("cache"),
        ]
        variables.merge(environment) { $1 }
        return try dumpConvertOutput(["show"] + options + [minidump], environment: variables)
    }

    /// Without the sentences about how the report was read.
    private func withoutNotes(_ report: String) -> String {
        report.replacing(#/\n\nHow the stacks were read:\n(  .*\n)+/#, with: "\n")
            .replacing(#/  "readingNotes": \[[^\]]*\],\n/#, with: "")
            .replacing(
                #/<div class="notice"><p>How the stacks were read:<\/p><ul>.*?<\/ul><\/div>/#,
                with: "")
    }
}
