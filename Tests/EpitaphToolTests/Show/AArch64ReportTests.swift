// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Crashes of the other architecture, in an emulator: each function of the crashing thread, with the
/// C library's file at hand and without.
@Suite("dump-convert show of an aarch64 program")
struct AArch64ReportTests {
    struct Death: Sendable, CustomTestStringConvertible {
        let way: String
        /// What runs in the program's own file, the innermost first.
        let functions: [String]
        var testDescription: String { way }
    }

    private static let root = "/usr/aarch64-linux-gnu"
    private static let emulator = "qemu-aarch64-static"
    private static let program = Products.packageRoot + "/.build/aarch64/CEpitaphVictim"

    static let deaths = [
        Death(way: "null-write", functions: ["crash_null_write", "crash", "main", "_start"]),
        Death(way: "abort", functions: ["crash_abort", "crash", "main", "_start"]),
        Death(way: "raise", functions: ["crash_raise", "crash", "main", "_start"]),
        Death(
            way: "in-malloc",
            functions: ["crash_in_malloc", "crash_in_a_group", "crash", "main", "_start"]),
        Death(
            way: "throw",
            functions: ["epitaph_terminate", "crash_throwing", "crash", "main", "_start"]),
        Death(
            way: "tiny-stack",
            functions: [
                "crash_null_write", "crash", "crash_on_tiny_stack", "crash_in_a_group", "crash",
                "main", "_start",
            ]),
    ]

    @Test(
        "The crashing stack is followed to its beginning by call frame information",
        arguments: deaths)
    func byTables(death: Death) throws {
        let frames = try Self.frames(of: death, ["--symbols", Self.root + "/lib"])
        #expect(Self.ownFunctions(frames) == death.functions)
        #expect(frames.dropFirst().allSatisfy { $0["foundBy"] as? String == "unwindTable" })
    }

    @Test("A frame in whose epilogue the table is late, and frames without table are followed")
    func byCode() throws {
        let epilogue = Death(way: "fault-in-epilogue", functions: [])
        let late = try Self.frames(of: epilogue, ["--symbols", Self.root + "/lib"])
        #expect(
            Self.ownFunctions(late)
                == ["fault_in_epilogue", "crash_in_a_group", "crash", "main", "_start"])
        #expect(late.dropFirst().allSatisfy { $0["foundBy"] as? String == "unwindTable" })
        let without = Death(way: "without-tables", functions: [])
        let frames = try Self.frames(of: without, ["--symbols", Self.root + "/lib"])
        #expect(
            Self.ownFunctions(frames) == [
                "fault_in_leaf", "call_by_pointer", "call_without_tables", "crash_in_a_group",
                "crash", "main", "_start",
            ])
        let evidence = frames.compactMap { $0["foundBy"] as? String }
        #expect(
            evidence.prefix(4) == ["registers", "calledFrame", "stackScan", "stackScan"])
        #expect(evidence.dropFirst(4).allSatisfy { $0 == "unwindTable" })
    }

    @Test("A failed check of the C++ library is named by the code that called it")
    func failedCheck() throws {
        let report = try Self.report(
            of: Death(way: "failed-check", functions: []), ["--symbols", Self.root + "/lib"])
        let diagnosis = try #require(report["diagnosis"] as? [String: Any])
        #expect(
            diagnosis["headline"] as? String
                == "failed a check of the C++ standard library: `__n < this->size()`")
    }

    @Test("A frame that does not fit is the cause also where only what it calls uses it")
    func largeFrame() throws {
        let report = try Self.report(
            of: Death(way: "large-frame", functions: []), ["--symbols", Self.root + "/lib"])
        let diagnosis = try #require(report["diagnosis"] as? [String: Any])
        #expect(
            diagnosis["headline"] as? String
                == "died of a stack overflow: large_frame has 16 MiB of local variables")
    }

    @Test("A stack that overflowed is followed to its beginning, beyond what the dump leaves out")
    func overflow() throws {
        let death = Death(way: "stack-overflow", functions: [])
        let frames = try Self.frames(of: death, ["--symbols", Self.root + "/lib"])
        #expect(Self.ownFunctions(frames).suffix(3) == ["crash", "main", "_start"])
    }

    @Test("With the emulated system gone, a store that was collected from it gives the same names")
    func byStore() throws {
        let directory = try TemporaryDirectory()
        let store = directory.path("store")
        try dumpConvertOutput(
            "symbols", "collect", "--sysroot", Self.root, Self.program, "-o", store)
        let death = Self.deaths[1]
        let frames = try Self.frames(of: death, ["--symbols", store])
        #expect(Self.ownFunctions(frames) == death.functions)
        #expect(frames.dropFirst().allSatisfy { $0["foundBy"] as? String == "unwindTable" })
    }

    @Test(
        "Without the C library's file frame records lead through it, and no frame is made up",
        arguments: deaths.filter { $0.way != "throw" })
    func byFrameRecords(death: Death) throws {
        let libraries = try TemporaryDirectory()
        try libraries.makeDirectory("lib")
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.root + "/lib")
        for name in names where name.hasPrefix("ld-") || Self.isNeeded(name) {
            try FileManager.default.copyItem(
                atPath: Self.root + "/lib/" + name, toPath: libraries.path("lib/" + name))
        }
        // The file that was loaded is gone when the dump is read.
        let frames = try Self.frames(of: death, [], root: libraries.path(".")) {
            try FileManager.default.removeItem(atPath: libraries.path("lib"))
        }
        #expect(Self.ownFunctions(frames) == death.functions)
        #expect(frames.contains { $0["foundBy"] as? String == "framePointer" })
        #expect(!frames.contains { $0["foundBy"] as? String == "stackScan" })
    }

    /// Of the C library, and of the program's other libraries.
    private static func isNeeded(_ name: String) -> Bool {
        ["libc.so", "libm.so", "libgcc_s.so", "libstdc++.so"].contains { name.hasPrefix($0) }
    }

    private static func ownFunctions(_ frames: [[String: Any]]) -> [String] {
        frames.filter { ($0["module"] as? [String: Any])?["name"] as? String == "CEpitaphVictim" }
            .compactMap { $0["function"] as? String }
    }

    /// - Parameters:
    ///   - root: what stands for the root directory of the emulated program.
    ///   - beforeShow: done between the crash and the reading of its dump.
    private static func frames(
        of death: Death, _ options: [String], root: String = root,
        beforeShow: () throws -> Void = {}
    ) throws -> [[String: Any]] {
        let report = try report(of: death, options, root: root, beforeShow: beforeShow)
        let threads = try #require(report["threads"] as? [[String: Any]])
        let crashing = try #require(threads.first { $0["isCrashing"] as? Bool == true })
        return try #require((crashing["stack"] as? [String: Any])?["frames"] as? [[String: Any]])
    }

    private static func report(
        of death: Death, _ options: [String], root: String = root,
        beforeShow: () throws -> Void = {}
    ) throws -> [String: Any] {
        try #require(
            FileManager.default.isExecutableFile(atPath: program),
            "\(program) is missing: run Scripts/fixtures --build")
        let directory = try TemporaryDirectory()
        _ = try Subprocess.run(
            [emulator, "-L", root, program, directory.path, death.way, "0"],
            deadlineSeconds: 60)
        try beforeShow()
        let pending = directory.path("pending-dumps")
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: pending).first {
                !$0.hasSuffix(".locked")
            })
        let shown = try dumpConvert(["show", "--json", pending + "/" + name] + options)
        #expect(shown.ending == .exited(0))
        return try jsonObject(shown.standardOutput)
    }
}
