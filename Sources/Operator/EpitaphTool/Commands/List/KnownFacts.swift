// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// The contents of `signatures/index`, read in place: of a hundred thousand reports the file takes
/// 6 MB, and as a dictionary it would take 25.
///
/// | type | field |
/// |---|---|
/// | u32 | magic, on disk `EPLI` |
/// | u32 | version |
/// | u64 | FNV-1a of all that follows |
/// | u32 | number of reports |
/// | u32 | number of facts, at most as many |
///
/// Then for each report, in the order of their ids, 60 bytes:
///
/// | type | field |
/// |---|---|
/// | 16 bytes | id |
/// | 5 × u64 | device, inode, size and times of the minidump |
/// | u32 | place of its facts |
///
/// Then the facts: the number of the kind, one byte, and two texts, the signal and the program,
/// each a u32, its length, or all ones if there is none, and UTF-8.
struct KnownFacts {
    static let byteLimit = 64 << 20
    /// Raise when facts are found differently.
    fileprivate static let version: UInt32 = 3
    fileprivate static let magic: UInt32 = 0x494c_5045
    private static let headByteCount = 24
    private static let recordByteCount = 60

    let facts: [ReportFacts]
    private let records: ByteSlice
    private let count: Int
    /// The first record whose id is not before that of the last report.
    private var place = 0

    /// Nil if it is damaged, or of another version.
    init?(_ bytes: ByteSlice) {
        var cursor = ByteCursor(bytes)
        do throws(TruncatedRead) {
            guard try cursor.read(UInt32.self) == Self.magic,
                try cursor.read(UInt32.self) == Self.version,
                try cursor.read(UInt64.self) == Self.checksum(bytes.slice(from: cursor.offset))
            else { return nil }
            count = Int(try cursor.read(UInt32.self))
            let factsCount = Int(try cursor.read(UInt32.self))
            records = try cursor.readSlice(count: count * Self.recordByteCount)
            guard factsCount <= count else { return nil }
            var facts: [ReportFacts] = []
            for _ in 0..<factsCount { facts.append(try Self.facts(&cursor)) }
            self.facts = facts
        } catch {
            return nil
        }
    }

    /// To be called for reports in the order of their ids.
    mutating func facts(ofNext report: Report) -> ReportFacts? {
        while place < count, id(at: place) < report.uuid { place += 1 }
        guard place < count, id(at: place) == report.uuid,
            stamp(at: place) == report.minidumpStamp
        else { return nil }
        let index = Int(
            records.load(at: place * Self.recordByteCount + 56, as: UInt32.self) ?? .max)
        return index < facts.count ? facts[index] : nil
    }

    private func id(at place: Int) -> Epitaph.ID {
        let start = place * Self.recordByteCount
        return Epitaph.ID(high: word(at: start).byteSwapped, low: word(at: start + 8).byteSwapped)
    }

    private func stamp(at place: Int) -> FileStamp {
        let start = place * Self.recordByteCount + 16
        return FileStamp(
            identity: FileIdentity(device: word(at: start), inode: word(at: start + 8)),
            sizeBytes: Int(truncatingIfNeeded: word(at: start + 16)),
            modified: Int64(bitPattern: word(at: start + 24)),
            changed: Int64(bitPattern: word(at: start + 32)))
    }

    private func word(at offset: Int) -> UInt64 { records.load(at: offset) ?? 0 }

    private static func facts(_ cursor: inout ByteCursor) throws(TruncatedRead) -> ReportFacts {
        let kind = try cursor.read(UInt8.self)
        let signal = try text(&cursor)
        let program = try text(&cursor)
        return ReportFacts(
            kind: kind == 0 ? nil : ReportKind(number: kind), signal: signal, program: program)
    }

    private static func text(_ cursor: inout ByteCursor) throws(TruncatedRead) -> String? {
        let count = try cursor.read(UInt32.self)
        return count == .max ? nil : try cursor.readSlice(count: Int(count)).text
    }

    private static func checksum(_ bytes: ByteSlice) -> UInt64 {
        bytes.withUnsafeBytes { FNV1a($0).value }
    }
}

/// Builds the file, from the reports in the order of their ids.
struct FactsWriter {
    // Longer than any path of the kernel; truncating would change it.
    private static let textLimit = 1 << 16

    private var whole = ByteBuilder()
    private var recordCount: UInt32 = 0
    private var facts = ByteBuilder()
    /// Equal facts are one object: `ListIndex`.
    private var places: [ObjectIdentifier: UInt32] = [:]

    init() {
        whole.append(KnownFacts.magic, KnownFacts.version)
        // Checksum and numbers, which are known at the end.
        whole.append(UInt64(0), UInt64(0))
    }

    mutating func append(_ facts: ReportFacts, of report: Report) {
        let stamp = report.minidumpStamp
        whole.append(report.uuid.bytes)
        whole.append(
            stamp.identity.device, stamp.identity.inode, Int64(stamp.sizeBytes), stamp.modified,
            stamp.changed)
        whole.append(place(of: facts))
        recordCount += 1
    }

    private mutating func place(of found: ReportFacts) -> UInt32 {
        if let place = places[ObjectIdentifier(found)] { return place }
        let place = UInt32(places.count)
        places[ObjectIdentifier(found)] = place
        facts.append(found.kind?.number ?? 0)
        for text in [found.signal, found.program] {
            guard let text, text.utf8.count < Self.textLimit else {
                facts.append(UInt32.max)
                continue
            }
            facts.append(UInt32(text.utf8.count))
            facts.append(text)
        }
        return place
    }

    mutating func finish() -> [UInt8] {
        whole.append(facts.bytes)
        whole.overwrite(at: 16, with: recordCount)
        whole.overwrite(at: 20, with: UInt32(places.count))
        let sum = whole.bytes.withUnsafeBytes { bytes in
            FNV1a(UnsafeRawBufferPointer(rebasing: bytes[16...])).value
        }
        whole.overwrite(at: 8, with: sum)
        return whole.bytes
    }
}

/// Facts by their values: thousands of reports are of a few programs.
struct FactsKey: Hashable {
    private let kind: ReportKind?
    private let signal: String?
    private let program: String?

    init(_ facts: ReportFacts) {
        kind = facts.kind
        signal = facts.signal
        program = facts.program
    }
}
