// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The Swift victim, compiled the way a test wants it, and what its crashes look like.
struct AsyncProgram: Sendable {
    let path: String
    let directory: TemporaryDirectory

    /// The victim without optimisation or with it, compiled once for all tests.
    static func victim(_ optimization: String) throws -> AsyncProgram {
        try (optimization == "-O" ? released : plain).get()
    }

    private static let plain = Result { try AsyncProgram(["-Onone"]) }
    private static let released = Result { try AsyncProgram(["-O"]) }

    /// Compiles `sources`, or the victim's, with what this package's C targets were compiled to.
    init(_ options: [String], sources: [String]? = nil) throws {
        directory = try TemporaryDirectory()
        path = directory.path("program")
        let moduleMap = Products.directory + "/CEpitaph.build/module.modulemap"
        let compiler = try Subprocess.run(
            ["swiftc", "-g", "-wmo", "-emit-executable", "-module-name", "AsyncProgram"]
                + ["-emit-module-path", directory.path("AsyncProgram.swiftmodule")] + options
                + Products.cHeaderOptions + [
                    "-Xcc", "-fmodule-map-file=" + moduleMap, "-Xlinker", "--build-id", "-o", path,
                ]
                + (sources ?? Victim.swift.standaloneSources(in: directory))
                + Products.cHeaderOptions + Products.cObjects, deadlineSeconds: 300)
        try #require(compiler.ending == .exited(0), "\(compiler.standardError)")
    }

    /// Runs to the crash and returns its dump.
    func crash(_ way: String) throws -> ProcessSnapshot {
        let database = try TemporaryDirectory()
        let run = try Subprocess.run([path, database.path, way])
        let pending = database.path("pending-dumps")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: pending)) ?? []
        let name = try #require(names.first { !$0.hasSuffix(".locked") }, "\(way) \(run.ending)")
        let bytes = try #require(FileManager.default.contents(atPath: pending + "/" + name))
        return try IntermediateDump(ByteSlice(Array(bytes))).snapshot
    }

    /// The same program in a file of its own, for a test that changes it.
    func copy() throws -> AsyncProgram {
        let directory = try TemporaryDirectory()
        let copy = AsyncProgram(path: directory.path("program"), directory: directory)
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    private init(path: String, directory: TemporaryDirectory) {
        self.path = path
        self.directory = directory
    }

    func explain(_ way: String) throws -> CrashExplanation {
        CrashExplanation(installed: try crash(way))
    }
}

extension ReportStack {
    /// The awaiting callers.
    var callers: [ReportFrame] { frames.filter { $0.isAsyncCaller && !$0.isInlined } }

    /// The function that runs, and those that await it, of the test's own code.
    var task: [String] {
        guard let first = frames.firstIndex(where: \.isAsyncCaller), first > 0 else { return [] }
        return ([frames[first - 1]] + callers).compactMap(\.ownName)
    }
}

extension ReportFrame {
    /// `closure in function` or `function`; nil for code that is not the test's.
    var ownName: String? {
        guard let function else { return nil }
        // The optimiser says first which types it made the function for.
        let plain = function.components(separatedBy: "> of ").last ?? function
        guard let name = plain.firstMatch(of: #/AsyncProgram\.\(?([A-Za-z.$]+)/#)?.1 else {
            return plain == "async_Main" ? plain : nil
        }
        return plain.contains("closure #") ? "closure in \(name)" : String(name)
    }
}
