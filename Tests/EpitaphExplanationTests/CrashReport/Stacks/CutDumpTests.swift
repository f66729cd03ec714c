// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What a dump says that was cut somewhere: what the whole dump says, or less.
@Suite struct CutDumpTests {
    @Test("Wherever a dump is cut, it never tells another story", arguments: everyDeath)
    func cuts(_ way: Way) throws {
        let bytes = try ExplainedCrash.dump(try way.command(), way.name)
        let whole = CrashExplanation(installed: try snapshot(bytes))
        let story = try #require(Story(whole))
        // Of each death other places, so that all kinds of places are among the sample.
        let death = try #require(everyDeath.firstIndex { $0.name == way.name })
        let places = Sweep.sample(Self.places(in: bytes), oneOf: 5, from: death)
        for (index, length) in places.enumerated() {
            let cut = try snapshot(Array(bytes[..<length]))
            let explanation = CrashExplanation(installed: cut)
            guard let other = Story(explanation) else {
                if cut.exception != nil { Issue.record("cut after \(length) bytes: no story") }
                continue
            }
            if !other.isTrue(of: story) {
                Issue.record("cut after \(length) of \(bytes.count) bytes: \(other), not \(story)")
            }
            let stack = explanation.crashingThread?.stack?.whyIncomplete ?? ""
            if stack.contains("damaged"), whole.crashingThread?.stack?.whyIncomplete != stack {
                Issue.record("cut after \(length) of \(bytes.count) bytes: \(stack)")
            }
            // The report is made from the minidump.
            guard index % 4 == 0 else { continue }
            let report = CrashExplanation(installed: try throughMinidump(cut))
            if Story(report)?.isTrue(of: story) != true {
                Issue.record(
                    "minidump of \(length) of \(bytes.count) bytes: \(Story(report) as Any)")
            }
        }
    }

    @Test("A sealed file of which nothing could be written does not say that nothing happened")
    func nothingWritten() throws {
        let bytes = try ExplainedCrash.dump(Victim.c.command, "abort")
        let launch = try #require(Self.offsets(in: bytes).first { $0.name == "FIRST_RECORD" })
        let cut = try throughMinidump(snapshot(Array(bytes[..<launch.offset])))
        let explanation = CrashExplanation(cut, stacks: [])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(!text.contains("no crash"))
        #expect(!text.contains("complete"))
        #expect(text.hasPrefix("CEpitaphVictim: this dump ends before it says what happened\n"))
    }

    private func snapshot(_ bytes: [UInt8]) throws -> ProcessSnapshot {
        try IntermediateDump(ByteSlice(bytes)).snapshot
    }

    private func throughMinidump(_ snapshot: ProcessSnapshot) throws -> ProcessSnapshot {
        var sink = ByteBuilder()
        MinidumpWriter(snapshot: snapshot, reportID: Epitaph.ID(), clientID: nil).write(to: &sink)
        return try MinidumpReader.read(ByteSlice(sink.bytes)).snapshot
    }

    /// Every end of something in the root and in the first thread, and some of the others; a few
    /// bytes into what follows, too.
    private static func places(in bytes: [UInt8]) -> [Int] {
        let all = offsets(in: bytes)
        let first = all.first { $0.name == "SIGNAL_EXCEPTION" }?.offset ?? 0
        let later = all.filter { $0.offset >= first }
        let sections = later.filter { $0.depth <= 1 }.map(\.offset)
        let step = max(1, later.count / 10)
        let others = stride(from: 0, to: later.count, by: step).map { later[$0].offset + 7 }
        return Set(sections + others)
            .filter { $0 > first && $0 < bytes.count }.sorted()
    }

    private struct Place {
        let offset: Int
        let depth: Int
        let name: String
    }

    /// From the lines of the tree's text: offset, two blanks, indent, name.
    private static func offsets(in bytes: [UInt8]) -> [Place] {
        DumpTree(reading: ByteSlice(bytes)).text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 1)
            guard fields.count == 2, fields[0].count == 8, let offset = Int(fields[0], radix: 16)
            else { return nil }
            let depth = fields[1].prefix { $0 == " " }.count / 2
            let name = fields[1].drop { $0 == " " }.prefix { $0 != " " }
            return Place(offset: offset, depth: depth, name: String(name))
        }
    }
}

/// A way to die, and the program that dies like that.
struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    /// Nil for `DiagnosisProgram`.
    var victim: Victim?
    var testDescription: String { name }

    func command() throws -> [String] {
        try victim?.command ?? [DiagnosisProgram.standard.get().path]
    }
}

private let everyDeath: [Way] =
    RealCrashDiagnosisTests.programDeaths.map { Way(name: $0.way) }
    + RealCrashDiagnosisTests.dummyDeaths.map { Way(name: $0.way, victim: .c) }
    + RealCrashDiagnosisTests.swiftDeaths.map { Way(name: $0.way, victim: .swift) }

/// What must be right in every report.
private struct Story: CustomStringConvertible {
    let signal: String
    let codeName: String?
    let sender: DeathReason.Sender?
    let kind: Diagnosis.Kind

    init?(_ explanation: CrashExplanation) {
        guard let reason = explanation.reason, let kind = explanation.diagnosis?.kind else {
            return nil
        }
        signal = reason.signalName
        codeName = reason.codeName
        sender = reason.sender
        self.kind = kind
    }

    var description: String { "\(kind) by \(signal)" }

    /// What says less than each kind and is true of it.
    private static let lesser: [Diagnosis.Kind: Set<Diagnosis.Kind>] = [
        .unmappedAddress: [.nullDereference, .stackOverflow],
        .inaccessibleMemory: [.stackOverflow, .writeToReadOnly, .writeToCode],
        .abort: [
            .assertion, .heapCorruption, .stackSmashing, .bufferOverflow, .uncaughtException,
            .swiftRuntimeFailure,
        ],
        .trap: [.swiftRuntimeFailure],
        .arithmetic: [.divideByZero],
        .generalProtection: [
            .nonCanonicalAddress, .misalignedAccess, .wildJump, .illegalInstruction,
        ],
    ]

    func isTrue(of whole: Story) -> Bool {
        let saysLess = kind == .signal || Self.lesser[kind]?.contains(whole.kind) == true
        guard signal == whole.signal, kind == whole.kind || saysLess else { return false }
        if let codeName, codeName != whole.codeName { return false }
        return sender == nil || sender == whole.sender
    }
}
