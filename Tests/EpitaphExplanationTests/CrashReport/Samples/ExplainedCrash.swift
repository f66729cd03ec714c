// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// A program run to its death, and its dump explained.
struct ExplainedCrash {
    let explanation: CrashExplanation
    let processID: Int32

    var diagnosis: Diagnosis? { explanation.diagnosis }
    var signature: CrashSignature? { explanation.signature }

    /// Runs `program DATABASE WAY`.
    init(_ program: String, _ way: String, _ more: [String] = []) throws {
        try self.init(command: [program], way, more)
    }

    init(_ victim: Victim, _ way: String) throws {
        try self.init(command: victim.command, way)
    }

    private init(command: [String], _ way: String, _ more: [String] = []) throws {
        let directory = try TemporaryDirectory()
        let result = try Subprocess.run(command + [directory.path("db"), way] + more)
        processID = result.processID
        explanation = try Self.explain(
            directory.path("db"), "\(result.ending) \(result.standardError)")
    }

    /// Runs it until it says that it waits, and has `act` end it.
    init(waiting program: String, _ way: String, act: (Int32) -> Void) throws {
        let directory = try TemporaryDirectory()
        let output = directory.path("out")
        let child = try Subprocess.spawn([program, directory.path("db"), way], output: output)
        processID = child
        let isWaiting = eventually(withinSeconds: 20) {
            (try? String(contentsOfFile: output, encoding: .utf8)) == "waiting\n"
                && isAsleep(child)
        }
        act(child)
        let ending = Subprocess.wait(for: child, deadlineSeconds: 20)
        explanation = try Self.explain(directory.path("db"), "\(ending), waiting: \(isWaiting)")
    }

    /// The dump of `command DATABASE WAY`.
    static func dump(_ command: [String], _ way: String) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let result = try Subprocess.run(command + [directory.path("db"), way])
        return try dump(in: directory.path("db"), "\(result.ending) \(result.standardError)")
    }

    private static func explain(_ database: String, _ what: String) throws -> CrashExplanation {
        let bytes = try dump(in: database, what)
        let snapshot = try IntermediateDump(ByteSlice(bytes)).snapshot
        return CrashExplanation(installed: snapshot)
    }

    private static func dump(in database: String, _ what: String) throws -> [UInt8] {
        let folder = database + "/pending-dumps"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // A live dump is beside the file of the process, which is locked.
        guard let name = names.first(where: { !$0.hasSuffix(".locked") }),
            let bytes = FileManager.default.contents(atPath: folder + "/" + name)
        else { throw NoDump(files: names, run: what) }
        return Array(bytes)
    }

    struct NoDump: Error {
        let files: [String]
        let run: String
    }
}

/// How the victims are built: as these tests are.
enum DummyBuild {
    /// False where an optimiser has chosen the instructions, left out frames by tail calls, and
    /// turned Swift's failures into bare traps.
    static let isUnoptimized: Bool = {
        #if DEBUG
            true
        #else
            false
        #endif
    }()
}
