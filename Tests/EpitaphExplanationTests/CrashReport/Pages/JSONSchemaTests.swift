// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

/// The published schema and what is written are the same.
@Suite struct JSONSchemaTests {
    @Test("The schema names every member that can be written, and no other")
    func members() throws {
        let allowed = try JSONSchema.members(of: JSONSchema.document())
        #expect(allowed == Set(JSONKey.allCases.map(\.rawValue)))
    }

    @Test("Every member is written when everything is known")
    func everyMember() throws {
        var killed = Sample.crash()
        killed.exception = ExceptionSnapshot(signal: 6, code: -6, address: 0)
        killed.exception?.senderProcessID = 99
        // Instructions need the files of the program, which a made-up crash does not have.
        var diagnosis = Diagnosis(kind: .trap, headline: "")
        diagnosis.code = Sample.code
        diagnosis.findings = [.init("It is so.", evidence: "It was seen.")]
        var writer = JSONWriter(isPretty: false)
        writer.object { $0.write(diagnosis) }
        let texts = [
            JSONReport(Sample.everythingExplained()).text,
            JSONReport(CrashExplanation(killed, stacks: [])).text, writer.text,
            JSONReport(FirstFaultTests.onAarch64()).text,
            JSONReport(CrashExplanation(RequestReportTests.snapshot(.hang), stacks: [])).text,
            JSONReport(AttributeReportTests.explanation).text,
            JSONReport(Self.ofHost, input: "a.dmp").text,
            JSONReport(HeapReportTests.useAfterFree().explanation).text,
        ]
        let names = try texts.map {
            JSONSchema.names(in: try JSONSerialization.jsonObject(with: Data($0.utf8)))
        }
        #expect(
            names.reduce(Set()) { $0.union($1) }.symmetricDifference(
                JSONKey.allCases.map(\.rawValue))
                == [])
    }

    private static var ofHost: CrashExplanation {
        var snapshot = Sample.crash()
        snapshot.annotations.append(Annotation(name: "hostname", value: "web-7"))
        return CrashExplanation(snapshot, stacks: [])
    }

    @Test("The schema's words are those of the code")
    func words() throws {
        let top = try JSONSchema.document()["properties"] as? [String: Any]
        #expect(top != nil)
        #expect(
            try Set(JSONSchema.words("properties", "diagnosis", "properties", "kind"))
                == Set(Diagnosis.Kind.allCases.map(\.rawValue)))
        #expect(
            try Set(JSONSchema.words("properties", "heap", "properties", "error"))
                == Set(HeapError.allCases.map(\.word)))
        let kinds = (1...8 as ClosedRange<UInt8>).map { ReportKind(number: $0).word }
        #expect(try Set(JSONSchema.words("properties", "kind")) == Set(kinds))
        #expect(
            try Set(JSONSchema.words("$defs", "frame", "properties", "foundBy"))
                == Set(StackFrame.FoundBy.allCases.map(\.rawValue)))
        #expect(
            try Set(JSONSchema.words("properties", "system", "properties", "architecture"))
                == Set(Architecture.allCases.map(\.name)))
    }

    @Test("Reports of made-up crashes follow the schema, whatever their texts and numbers are")
    func madeUp() throws {
        let hostile = ReportStack(
            frames: HostileSnapshot.texts.enumerated().map { index, text in
                Sample.frame(index, .max, text, at: .init(file: text, line: .min, column: .max))
            }, whyIncomplete: HostileSnapshot.text)
        let explanations = [
            Sample.everythingExplained(),
            HeapReportTests.useAfterFree().explanation,
            CrashExplanation(ProcessSnapshot(architecture: .aarch64), stacks: []),
            CrashExplanation(
                HostileSnapshot.crash(), stacks: [hostile], crashStack: hostile,
                moduleProblems: [0: HostileSnapshot.text]),
            CrashExplanation(CrowdedSnapshot.crash(threads: 1000), stacks: []),
        ]
        let reports = explanations.flatMap { explanation in
            [true, false].map { JSONReport(explanation, isPretty: $0).text }
        }
        #expect(try JSONSchema.complaints(about: reports) == [])
    }

    @Test("Reports of real crashes follow the schema")
    func real() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O2", "-g"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "inlining"], in: directory)
        var snapshots = [debugged.snapshot]
        for name in ["null-write-x86_64", "null-write-aarch64", "sample-x86_64", "sample-aarch64"] {
            let bytes = try bytes("intermediate-dumps/\(name).dump")
            snapshots.append(try IntermediateDump(bytes).snapshot)
        }
        for name in ["greeter-x86_64", "greeter-aarch64"] {
            let bytes = try bytes("minidumps/\(name).dmp")
            snapshots.append(try MinidumpReader.read(bytes).snapshot)
        }
        let reports = snapshots.map {
            JSONReport(CrashExplanation(installed: $0)).text
        }
        #expect(reports[0].contains("\"inner\""))
        #expect(try JSONSchema.complaints(about: reports) == [])
    }

    @Test(
        "The validator sees what does not follow the schema",
        arguments: [
            ("\"schemaVersion\": 2", "\"schemaVersion\": 1"),
            ("\"isCrashing\": true", "\"isCrashing\": 1"),
            ("\"address\": \"0x10\"", "\"address\": 16"),
            ("\"address\": \"0x10\"", "\"address\": \"0x10\", \"more\": 1"),
            ("\"address\": \"0x10\"", "\"address\": \"0x10\", \"address\": \"0x10\""),
            ("\"kind\": \"repeat\"", "\"kind\": \"frame\""),
            ("\"damage\"", "\"damages\""),
            ("\"rip\": \"0x401234\"", "\"rip\": null"),
            ("T03:14:07.500Z", " 03:14:07"),
        ])
    func wrong(text: String, replacement: String) throws {
        let report = JSONReport(Sample.everythingExplained()).text
        let changed = report.replacing(text, with: replacement, maxReplacements: 1)
        #expect(changed != report)
        #expect(try !JSONSchema.complaints(about: [changed]).isEmpty)
    }

    private func bytes(_ fixture: String) throws -> ByteSlice {
        ByteSlice(
            Array(try Data(contentsOf: URL(fileURLWithPath: Products.fixture(fixture)))))
    }
}
