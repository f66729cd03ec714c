// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphSystem
import EpitaphValues

protocol ExplanationSink: AnyObject {
    func has(_ input: String) -> Bool
    var isOpen: Bool { get }

    func accept(_ explained: Explained) throws(CommandFailure)
    func tick() throws(CommandFailure)
    func finish() throws(CommandFailure)
}

enum LineTarget {
    case standardOutput(Output)
    case file(LineFile)

    func write(_ line: [UInt8]) throws(CommandFailure) {
        switch self {
        case .standardOutput(let output):
            output.write(line)
            output.print()
            // A reader may wait for each line.
            output.flush()
        case .file(let file): try file.append(line)
        }
    }

    func has(_ input: String) -> Bool {
        if case .file(let file) = self { return file.done.contains(input) }
        return false
    }

    var isOpen: Bool {
        if case .standardOutput(let output) = self { return output.isOpen }
        return true
    }

    func finish() throws(CommandFailure) {
        if case .file(let file) = self { try file.synchronize() }
    }
}

final class LineSink: ExplanationSink {
    private let target: LineTarget
    private let asRows: Bool

    init(_ target: LineTarget, asRows: Bool) {
        self.target = target
        self.asRows = asRows
    }

    var isOpen: Bool { target.isOpen }

    func has(_ input: String) -> Bool { target.has(input) }

    func accept(_ explained: Explained) throws(CommandFailure) {
        try target.write(explained.line(asRow: asRows))
    }

    func tick() {}

    func finish() throws(CommandFailure) { try target.finish() }
}

struct Explained {
    enum Content {
        /// The report as JSON, empty unless requested, and its record as JSON.
        case report([UInt8], record: [UInt8])
        case failure(String)
    }

    let input: String
    let content: Content

    var isFailure: Bool {
        if case .failure = content { return true }
        return false
    }

    var record: CrashRecord? {
        guard case .report(_, let json) = content else { return nil }
        return CrashRecord(json: json)
    }

    /// Without a line break; `input` is the third member. `asRow`: the record, not the report.
    func line(asRow: Bool) -> [UInt8] {
        switch content {
        case .report(let report, _) where !asRow: return report
        case .report(_, let record):
            // The encoder does not make text safe for terminals.
            let row = String(decoding: record, as: UTF8.self).printable { $0.jsonEscaped }
            return line("crash-record", row)
        case .failure(let sentence):
            return line("explanation-failure", (["error": sentence] as PrintedJSON).line)
        }
    }

    /// The first members are in the order of a whole report; those of `object` follow.
    private func line(_ schema: String, _ object: String) -> [UInt8] {
        let name = (["input": input] as PrintedJSON).line.dropFirst().dropLast()
        let head = "{\"schema\":\"urn:epitaph:\(schema)\",\"schemaVersion\":1,"
        return Array((head + name + "," + object.dropFirst()).utf8)
    }
}
