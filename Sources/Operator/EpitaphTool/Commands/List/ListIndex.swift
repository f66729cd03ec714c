// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// Facts of a database's reports in `signatures/index`, so that `list` need not open each of them
/// again.
///
/// Only a cache. An entry is valid for a minidump of the same inode, size and times; a torn or
/// foreign file is ignored and rebuilt. It has nothing that its writer could not also write into a
/// minidump.
struct ListIndex {
    private static let fileName = "index"
    /// Fewer reports are read as fast as looked up.
    private static let worthwhileCount = 64

    private let database: ReportDatabase
    private let known: KnownFacts
    private var added: [(uuid: Epitaph.ID, facts: ReportFacts)] = []
    private var shared: [FactsKey: ReportFacts] = [:]

    init(of database: ReportDatabase) {
        self.database = database
        known = Self.stored(in: database).flatMap(KnownFacts.init) ?? KnownFacts()
        for facts in known.facts { shared[FactsKey(facts)] = facts }
    }

    private static func stored(in database: ReportDatabase) -> ByteSlice? {
        guard let directory = try? database.openDirectory(directoryName, ifMissing: .fail),
            let file = try? directory.openForReading(fileName),
            let status = try? file.fileStatus(), status.kind == .regular,
            status.sizeBytes <= KnownFacts.byteLimit
        else { return nil }
        return try? FileBytes.contents(of: file)
    }

    private static var directoryName: String { "signatures" }

    func facts(of report: Report) -> ReportFacts? { known.facts(of: report) }

    /// Returns the object to keep.
    mutating func add(_ facts: ReportFacts, of report: Report) -> ReportFacts {
        let key = FactsKey(facts)
        let facts = shared[key] ?? facts
        shared[key] = facts
        added.append((report.uuid, facts))
        return facts
    }

    /// Writes the index if possible and worthwhile, without reports not in `reports`.
    mutating func store(keeping reports: [Report]) {
        guard added.count >= Self.worthwhileCount,
            let directory = try? database.openDirectory(Self.directoryName, ifMissing: .create)
        else { return }
        var new = Dictionary(added.map { ($0.uuid, $0.facts) }) { $1 }
        added = []
        var writer = FactsWriter()
        for report in reports.sorted(by: { $0.uuid < $1.uuid }) {
            guard let facts = new.removeValue(forKey: report.uuid) ?? known.facts(of: report)
            else { continue }
            writer.append(facts, of: report)
        }
        let bytes = writer.bytes
        guard bytes.count <= KnownFacts.byteLimit else { return }
        let beside = "\(Self.fileName).partial-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        // Not synced: the checksum detects damage by a power failure.
        _ = try? directory.replace(Self.fileName, with: bytes, writing: beside, isSynced: false)
    }
}
