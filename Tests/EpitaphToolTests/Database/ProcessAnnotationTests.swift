// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert process --annotation")
struct ProcessAnnotationTests {
    private static let id = "11111111-2222-4333-8444-555555555555"
    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        try sample.leaveDump(Sample.dump(), named: "com.example.d@\(Self.id)")
    }

    private func process(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["process", "--database", sample.path] + arguments)
    }

    private func annotations() throws -> String {
        let shown = try dumpConvert("show", "--no-symbols", "--database", sample.path)
        let text = shown.standardOutput
        return String(text[(text.range(of: "Annotations:")?.upperBound ?? text.endIndex)...])
    }

    @Test("New reports have the annotations, and the program's own are not replaced")
    func added() throws {
        let result = try process(
            "--annotation", "rack=12", "--annotation=note=a=b", "--annotation", "prod=other")
        #expect(result.ending == .exited(0) && result.standardError == "")
        let shown = try annotations()
        #expect(shown.contains("\n  rack = 12\n") && shown.contains("\n  note = a=b\n"))
        #expect(shown.contains("\n  prod = orderd\n") && !shown.contains("= other"))
    }

    @Test("With --bundle-id the reports of other programs do not have them")
    func otherProgram() throws {
        let result = try process("--annotation", "rack=12", "--bundle-id", "com.example.other")
        #expect(result.ending == .exited(0))
        #expect(try !annotations().contains("rack"))
    }

    @Test("What is no annotation is refused, and nothing is converted", arguments: ["rack", "=12"])
    func refused(_ text: String) throws {
        let result = try process("--annotation", text)
        result.expectFailure(2, saying: "--annotation \(text): write NAME=VALUE")
        #expect(try sample.files(in: "pending-dumps").count == 1)
    }
}
