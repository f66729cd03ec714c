// SPDX-License-Identifier: Apache-2.0

import Bytes
import CrashReport
import FoundationEssentials

/// What `list --json` prints; docs/dump-convert.md tells the members. What is not known is left
/// out.
struct ListJSON: Encodable {
    static let version = 1

    var schema = "urn:epitaph:report-list"
    var schemaVersion = Self.version
    /// Without `--group`.
    var reports: [Entry]?
    /// With `--group`.
    var groups: [Group]?

    struct Entry: Encodable {
        let id: String
        let path: String
        let time: String
        let filed: String
        let signal: String?
        let program: String?
        let state: String
        let uploadAttempts: Int
        let isReadable: Bool
    }

    struct Group: Encodable {
        let signature: String?
        let identifier: String?
        let program: String?
        let count: Int
        let first: String
        let last: String
        let reports: [String]
    }

    init(_ reports: [ListedReport]) {
        self.reports = reports.map { listed in
            Entry(
                id: listed.id, path: listed.report.path, time: UTCTime.timestamp(listed.time),
                filed: UTCTime.timestamp(listed.report.creationTime), signal: listed.signal,
                program: listed.program, state: listed.state,
                uploadAttempts: listed.report.uploadAttempts,
                isReadable: listed.snapshot != nil)
        }
    }

    init(_ groups: [ReportGroup]) {
        self.groups = groups.map { group in
            Group(
                signature: group.signature?.text, identifier: group.signature?.identifier,
                program: group.program, count: group.reports.count,
                first: UTCTime.timestamp(group.first), last: UTCTime.timestamp(group.last),
                reports: group.reports.map(\.id))
        }
    }

    /// Lines of the object; nothing in them acts on a terminal.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Strings and numbers alone: there is nothing that cannot be encoded.
        let data = (try? encoder.encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self)
            .printable { $0 == "\n" ? "\n" : Self.escaped($0) }
    }

    /// RFC 8259, 7: UTF-16 in hexadecimal.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        scalar.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
