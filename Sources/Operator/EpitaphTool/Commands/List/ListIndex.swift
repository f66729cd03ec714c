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
    private struct Entry {
        let stamp: FileStamp
        let facts: ReportFacts
    }

    private static let fileName = "index"
    /// Raise when facts are found differently.
    private static let version: UInt32 = 2
    private static let magic: UInt32 = 0x494c_5045  // on disk "EPLI"
    private static let byteLimit = 64 << 20
    /// Fewer reports are read as fast as looked up.
    private static let worthwhileCount = 64
    private static let textLimit = 1 << 16

    private let database: ReportDatabase
    private var entries: [Epitaph.ID: Entry] = [:]
    private var addedCount = 0

    init(of database: ReportDatabase) {
        self.database = database
        guard
            let directory = try? database.openDirectory(
                Self.directoryName, ifMissing: .fail),
            let file = try? directory.openForReading(Self.fileName),
            let status = try? file.fileStatus(), status.kind == .regular,
            status.sizeBytes <= Self.byteLimit,
            let bytes = try? file.readBytes(count: status.sizeBytes, at: 0)
        else { return }
        entries = Self.entries(in: bytes) ?? [:]
    }

    private static var directoryName: String { "signatures" }

    func facts(of report: Report) -> ReportFacts? {
        guard let entry = entries[report.uuid], entry.stamp == report.minidumpStamp else {
            return nil
        }
        return entry.facts
    }

    mutating func add(_ facts: ReportFacts, of report: Report) {
        entries[report.uuid] = Entry(stamp: report.minidumpStamp, facts: facts)
        addedCount += 1
    }

    /// Writes the index if possible and worthwhile, without reports not in `reports`.
    mutating func store(keeping reports: [Report]) {
        guard addedCount >= Self.worthwhileCount,
            let directory = try? database.openDirectory(Self.directoryName, ifMissing: .create)
        else { return }
        let bytes = contents(reports)
        guard bytes.count <= Self.byteLimit else { return }
        let beside = "\(Self.fileName).partial-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        // Not synced: the checksum detects damage by a power failure.
        _ = try? directory.replace(Self.fileName, with: bytes, writing: beside, isSynced: false)
    }

    private func contents(_ reports: [Report]) -> [UInt8] {
        var body = ByteBuilder()
        for report in reports {
            guard let entry = entries[report.uuid] else { continue }
            body.append(report.uuid.bytes)
            body.append(entry.stamp.identity.device)
            body.append(entry.stamp.identity.inode)
            body.append(Int64(entry.stamp.sizeBytes))
            body.append(entry.stamp.modified)
            body.append(entry.stamp.changed)
            body.append(entry.facts.kind?.number ?? 0)
            for text in [entry.facts.signal, entry.facts.program] {
                // Longer than any path of the kernel; truncating would change it.
                guard let text, text.utf8.count < Self.textLimit else {
                    body.append(UInt32.max)
                    continue
                }
                body.append(UInt32(text.utf8.count))
                body.append(text)
            }
        }
        var whole = ByteBuilder()
        whole.append(Self.magic)
        whole.append(Self.version)
        whole.append(Self.checksum(body.bytes[...]))
        return whole.bytes + body.bytes
    }

    private static func entries(in bytes: [UInt8]) -> [Epitaph.ID: Entry]? {
        var cursor = ByteCursor(ByteSlice(bytes))
        guard (try? cursor.read(UInt32.self)) == magic, (try? cursor.read(UInt32.self)) == version,
            let sum = try? cursor.read(UInt64.self), sum == checksum(bytes[cursor.offset...])
        else { return nil }
        var entries: [Epitaph.ID: Entry] = [:]
        // Thousands of reports are of a few programs.
        var texts: [String: String] = [:]
        do throws(TruncatedRead) {
            while !cursor.isAtEnd {
                let (uuid, entry) = try Self.entry(&cursor, &texts)
                entries[uuid] = entry
            }
        } catch {
            return nil
        }
        return entries
    }

    private static func entry(
        _ cursor: inout ByteCursor, _ texts: inout [String: String]
    ) throws(TruncatedRead) -> (Epitaph.ID, Entry) {
        var words: [UInt64] = []
        let (high, low) = (try cursor.read(UInt64.self), try cursor.read(UInt64.self))
        let uuid = Epitaph.ID(high: high.byteSwapped, low: low.byteSwapped)
        for _ in 0..<5 { words.append(try cursor.read()) }
        let stamp = FileStamp(
            identity: FileIdentity(device: words[0], inode: words[1]),
            sizeBytes: Int(truncatingIfNeeded: words[2]),
            modified: Int64(bitPattern: words[3]), changed: Int64(bitPattern: words[4]))
        let kind = try cursor.read(UInt8.self)
        let signal = try text(&cursor, &texts)
        let program = try text(&cursor, &texts)
        let facts = ReportFacts(
            kind: kind == 0 ? nil : ReportKind(number: kind), signal: signal, program: program)
        return (uuid, Entry(stamp: stamp, facts: facts))
    }

    private static func text(
        _ cursor: inout ByteCursor, _ texts: inout [String: String]
    ) throws(TruncatedRead) -> String? {
        let count = try cursor.read(UInt32.self)
        guard count < .max else { return nil }
        let text = try cursor.readSlice(count: Int(count)).text
        if let known = texts[text] { return known }
        texts[text] = text
        return text
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBufferPointer { FNV1a($0).value }
    }
}
