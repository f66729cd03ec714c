// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphSystem
import EpitaphValues

/// Takes what became of each input, in the order in which it became known.
protocol ExplanationSink: AnyObject {
    /// Whether the input was dealt with by an earlier run.
    func has(_ input: String) -> Bool
    /// Whether anybody still wants more.
    var isOpen: Bool { get }

    func accept(_ explained: Explained) throws(CommandFailure)
    /// Called now and then while nothing comes.
    func tick() throws(CommandFailure)
    /// After the last one.
    func finish() throws(CommandFailure)
}

/// Where lines are written.
enum LineTarget {
    case standardOutput(Output)
    case file(LineFile)

    func write(_ line: [UInt8]) throws(CommandFailure) {
        switch self {
        case .standardOutput(let output):
            output.write(line + [UInt8(ascii: "\n")])
            // Whoever reads them may wait for each.
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

/// Writes a line for each input as soon as it is known.
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

/// What became of one input.
struct Explained {
    enum Content {
        /// The report as JSON, empty if it was not asked for, and the JSON of its record.
        case report([UInt8], record: [UInt8])
        /// Why there is none, as a sentence.
        case failure(String)
    }

    let input: String
    let content: Content

    var isFailure: Bool {
        if case .failure = content { return true }
        return false
    }

    /// The record, for a table.
    var record: CrashRecord? {
        guard case .report(_, let json) = content else { return nil }
        return CrashRecord(json: json)
    }

    /// The line that is written, without a line break. `input` is its third member, whatever it is.
    ///
    /// - Parameter asRow: the record instead of the report.
    func line(asRow: Bool) -> [UInt8] {
        switch content {
        case .report(let report, _) where !asRow: return report
        case .report(_, let record):
            // The encoder knows nothing of terminals.
            let row = String(decoding: record, as: UTF8.self).printable { $0.jsonEscaped }
            return line("crash-record", row)
        case .failure(let sentence):
            return line("explanation-failure", (["error": sentence] as PrintedJSON).line)
        }
    }

    /// The first members are in the order of the whole report, those of an object follow.
    private func line(_ schema: String, _ object: String) -> [UInt8] {
        let name = (["input": input] as PrintedJSON).line.dropFirst().dropLast()
        let head = "{\"schema\":\"urn:epitaph:\(schema)\",\"schemaVersion\":1,"
        return Array((head + name + "," + object.dropFirst()).utf8)
    }
}
