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
            let head = Head(schema: "urn:epitaph:crash-record", input: input)
            return Array((head.line.dropLast() + "," + row.dropFirst()).utf8)
        case .failure(let sentence):
            let head = Head(schema: "urn:epitaph:explanation-failure", input: input)
            let rest = Failure(error: sentence).line
            return Array((head.line.dropLast() + "," + rest.dropFirst()).utf8)
        }
    }

    private struct Failure: PrintedJSON {
        let error: String
    }

    /// The first members, in the order of the whole report.
    private struct Head {
        let schema: String
        let input: String

        private struct Name: PrintedJSON {
            let input: String
        }

        var line: String {
            "{\"schema\":\"\(schema)\",\"schemaVersion\":1,"
                + Name(input: input).line.dropFirst()
        }
    }
}
