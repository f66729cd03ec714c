// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphValues

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
