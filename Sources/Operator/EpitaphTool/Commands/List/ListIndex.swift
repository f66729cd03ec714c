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
    private let reports: [Report]
    private let order: IDOrder
    /// By the place of the report; nil if they are not known.
    private(set) var facts: [ReportFacts?]
    private var addedCount = 0
    private var shared: [FactsKey: ReportFacts] = [:]

    /// - Parameter order: that of `reports`.
    init(of database: ReportDatabase, _ reports: [Report], _ order: IDOrder) {
        self.database = database
        self.reports = reports
        self.order = order
        facts = [ReportFacts?](repeating: nil, count: reports.count)
        guard var known = Self.stored(in: database).flatMap(KnownFacts.init) else { return }
        for facts in known.facts { shared[FactsKey(facts)] = facts }
        for place in order.places { facts[place] = known.facts(ofNext: reports[place]) }
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

    /// Returns the object to keep.
    mutating func add(_ found: ReportFacts, at place: Int) -> ReportFacts {
        let key = FactsKey(found)
        let kept = shared[key] ?? found
        shared[key] = kept
        facts[place] = kept
        addedCount += 1
        return kept
    }

    /// Writes the index if possible and worthwhile, of these reports alone.
    func store() {
        guard addedCount >= Self.worthwhileCount,
            let directory = try? database.openDirectory(Self.directoryName, ifMissing: .create)
        else { return }
        var writer = FactsWriter()
        for place in order.places {
            if let facts = facts[place] { writer.append(facts, of: reports[place]) }
        }
        let bytes = writer.finish()
        guard bytes.count <= KnownFacts.byteLimit else { return }
        let beside = "\(Self.fileName).partial-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        // Not synced: the checksum detects damage by a power failure.
        _ = try? directory.replace(Self.fileName, with: bytes, writing: beside, isSynced: false)
    }
}
