// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import EpitaphExplanation

/// What `list --json` prints; docs/dump-convert.md lists the members. Unknown values are left out.
struct ListJSON: PrintedJSON {
    static let version = 1

    var schema = "urn:epitaph:report-list"
    var schemaVersion = Self.version
    /// Without `--group`.
    var reports: [Entry]?
    /// With `--group`.
    var groups: [Group]?

    struct Entry: Encodable {
        let id: String
        let database: String
        let path: String
        let time: String
        let filed: String
        let signal: String?
        let kind: String?
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
                id: listed.id, database: listed.databasePath, path: listed.report.path,
                time: PreciseTime.timestamp(listed.time),
                filed: UTCTime.timestamp(listed.report.creationTime), signal: listed.facts?.signal,
                kind: listed.facts?.kind?.word, program: listed.facts?.program, state: listed.state,
                uploadAttempts: listed.report.uploadAttempts,
                isReadable: listed.facts != nil)
        }
    }

    init(_ groups: [ReportGroup]) {
        self.groups = groups.map { group in
            Group(
                signature: group.signature?.text, identifier: group.signature?.identifier,
                program: group.program, count: group.reports.count,
                first: PreciseTime.timestamp(group.first),
                last: PreciseTime.timestamp(group.last),
                reports: group.reports.map(\.id))
        }
    }
}
