// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import EpitaphValues
import Testing

/// Checks of optimised Swift, which stop a program without a word.
@Suite struct DiagnosisOfSwiftTrapTests {
    private static let source = """
        @inline(never) func add(_ value: Int8) -> Int8 { value + 1 }
        @inline(never) func pick(_ values: [Int], _ index: Int) -> Int { values[index] }
        let count = CommandLine.arguments.count
        if CommandLine.arguments.last == "overflow" {
            print(add(Int8(truncatingIfNeeded: count + 125)))
        } else {
            print(pick([count], count + 1))
        }
        """

    @Test(
        "The reason of a silent trap is told, with its instruction and function",
        arguments: [
            ("overflow", "arithmetic overflow", "add("), ("index", "Index out of range", "pick("),
        ])
    func silentTrap(way: String, reason: String, function: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(Array(Self.source.utf8), to: "main.swift")
        let program = directory.path("program")
        let compiler = try Subprocess.run(
            ["swiftc", "-O", "-g", "-Xlinker", "--build-id", "-o", program, file],
            deadlineSeconds: 120)
        #expect(compiler.ending == .exited(0), "\(compiler.standardError)")
        var snapshot = try DebuggedProgram(running: [program, way], in: directory).snapshot
        // A core file read here is always a SIGSEGV: these are SIGILL, ILL_ILLOPN.
        snapshot.exception?.signal = 4
        snapshot.exception?.code = 2
        let explanation = CrashExplanation(installed: snapshot)
        let diagnosis = try #require(explanation.diagnosis)
        #expect(diagnosis.kind == .swiftRuntimeFailure)
        #expect(diagnosis.headline == "stopped with a Swift failure: \(reason)")
        #expect(diagnosis.code?.instructions.first(where: \.isAtFault)?.text == "ud2")
        let signature = try #require(explanation.signature?.text)
        #expect(signature.contains(function), "\(signature)")
    }
}
