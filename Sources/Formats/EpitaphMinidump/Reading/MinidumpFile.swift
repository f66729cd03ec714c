// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The bytes and the directory of a minidump, for the readers of streams.
struct MinidumpFile {
    /// MINIDUMP_HEADER.Signature: "MDMP".
    static let signature: UInt32 = 0x504d_444d
    private static let version: UInt16 = 0xa793
    private static let shownByteCount = 32
    private static let damageLimit = 1_000
    private static let textByteLimit = 1 << 20
    private static let allTextByteLimit = 32 << 20
    private static let streamLimit = 4_096
    /// Limit on the estimated memory of decoded records of all streams.
    private static let recordMemoryBytes = 96 << 20

    private let source: MinidumpSource
    private(set) var streams: [MinidumpContents.Stream] = []
    private(set) var time: UInt32 = 0
    private(set) var damage: [Damage] = []
    /// By thread index, addresses of stacks whose bytes are only in the memory list.
    var stackAddresses: [Int: UInt64] = [:]

    private var locations: [StreamType: Location] = [:]
    private var damageCount = 0
    /// Limits the length of all text, because many records can share a string: linear time.
    private var textBudget: Int
    private var recordMemoryLeft = recordMemoryBytes

    init(_ source: MinidumpSource) throws(MinidumpError) {
        self.source = source
        textBudget = min(
            Self.allTextByteLimit,
            max(Self.textByteLimit, 4 * min(source.byteCount, .max / 4)))
        var cursor = ByteCursor(source.slice(from: 0, length: MinidumpWriter.headerByteCount))
        do {
            guard source.byteCount > 0 else {
                throw MinidumpError.notAMinidump(reason: "it is empty")
            }
            guard try cursor.read(UInt32.self) == Self.signature else {
                throw MinidumpError.notAMinidump(reason: "it does not begin with MDMP")
            }
            let version = try cursor.read(UInt32.self)
            if UInt16(truncatingIfNeeded: version) != Self.version {
                note("header", "version \(version.hex) is not known")
            }
            let count = try cursor.read(UInt32.self)
            let offset = try cursor.read(UInt32.self)
            try cursor.skip(4)
            time = try cursor.read(UInt32.self)
            readDirectory(count: Int(count), offset: Int(offset))
        } catch let error as MinidumpError {
            throw error
        } catch {
            throw .notAMinidump(reason: "it ends inside the header")
        }
    }

    private mutating func readDirectory(count: Int, offset: Int) {
        let entryByteCount = MinidumpWriter.directoryEntryByteCount
        let available = source.remainingCount(from: offset) / entryByteCount
        if count > available {
            note("directory", "\(count) streams announced, room for \(available)")
        }
        if min(count, available) > Self.streamLimit {
            note("directory", "\(count) streams; \(Self.streamLimit) are read")
        }
        let readCount = min(count, available, Self.streamLimit)
        var cursor = ByteCursor(
            source.slice(from: offset, length: readCount * entryByteCount))
        for _ in 0..<readCount {
            guard let type = try? cursor.read(UInt32.self),
                let location = try? cursor.readLocation()
            else { return }
            let stream = StreamType(rawValue: type)
            guard stream != .unused else { continue }
            streams.append(.init(type: stream, byteCount: Int(location.size)))
            guard locations[stream] == nil else {
                note("\(stream)", "it is there more than once; the first one is shown")
                continue
            }
            locations[stream] = location
        }
    }

    /// Records what could not be read; beyond a limit only the number.
    mutating func note(_ subject: String, _ reason: String) {
        // A damaged stream that is read twice is recorded once.
        guard damage.last?.subject != subject || damage.last?.reason != reason else { return }
        damageCount += 1
        if damageCount <= Self.damageLimit {
            damage.append(Damage(stage: .reading, subject: subject, reason: reason))
        } else if damageCount == Self.damageLimit + 1 {
            damage.append(
                Damage(
                    stage: .reading, subject: "damage",
                    reason: "more than \(Self.damageLimit) entries, the rest is not listed"))
        }
    }

    var isFromCrashpadFamily: Bool { locations[.crashpadInfo] != nil }

    mutating func stream(_ type: StreamType) -> ByteSlice? {
        guard let location = locations[type] else { return nil }
        return bytes(
            at: location, for: "\(type) at offset 0x\(String(location.offset, radix: 16))")
    }

    func byteCount(of type: StreamType) -> Int? { locations[type].map { Int($0.size) } }

    mutating func bytes(
        at location: Location, for subject: @autoclosure () -> String
    ) -> ByteSlice? {
        bytes(offset: UInt64(location.offset), size: UInt64(location.size), for: subject())
    }

    /// Bytes at a place, fewer at the end of the file; nil if there are none or `size` is 0.
    mutating func bytes(
        offset: UInt64, size: UInt64, for subject: @autoclosure () -> String
    ) -> ByteSlice? {
        guard size > 0 else { return nil }
        let wanted = Int(clamping: size)
        let slice = source.slice(from: Int(clamping: offset), length: wanted)
        if slice.count < wanted {
            note(subject(), "\(slice.count) of \(size) bytes are in the file")
        }
        return slice.isEmpty ? nil : slice
    }

    /// How many of `count` records of `memoryBytes` to read. Omissions are recorded.
    mutating func admitted(
        _ count: Int, memoryBytes: Int, limit: Int = .max, for subject: String
    ) -> Int {
        let admitted = min(count, limit, recordMemoryLeft / memoryBytes)
        recordMemoryLeft -= admitted * memoryBytes
        if admitted < count {
            note(subject, "\(count) entries; \(admitted) are read, more would take too much memory")
        }
        return admitted
    }

    /// The records after a 32-bit count, as many as the file has, at most `limit`. `memoryBytes` is
    /// the approximate size of a decoded record.
    mutating func records(
        in list: ByteSlice, byteCount: Int, memoryBytes: Int = 256, limit: Int = .max,
        for subject: String
    ) throws(TruncatedRead) -> [ByteSlice] {
        var cursor = ByteCursor(list)
        let count = Int(try cursor.read(UInt32.self))
        // Some writers align the records to 8 bytes.
        let (size, overflow) = count.multipliedReportingOverflow(by: byteCount)
        if !overflow, cursor.remainingCount == size + 4 { try cursor.skip(4) }
        let available = cursor.remainingCount / byteCount
        if count > available {
            note(subject, "\(count) entries announced, \(available) are there")
        }
        var records: [ByteSlice] = []
        let admitted = admitted(
            min(count, available), memoryBytes: memoryBytes, limit: limit, for: subject)
        for _ in 0..<admitted {
            records.append(try cursor.readSlice(count: byteCount))
        }
        return records
    }

    mutating func context(
        at location: Location, on architecture: Architecture,
        of subject: @autoclosure () -> String
    ) -> RegisterSnapshot? {
        guard let record = bytes(at: location, for: "registers of " + subject()) else {
            return nil
        }
        do throws(TruncatedRead) {
            return try ContextFormat.decode(record, on: architecture)
        } catch {
            note("registers of " + subject(), "the record ends too early: \(error)")
            return nil
        }
    }

    /// MINIDUMP_STRING: a byte count and UTF-16. Nil at offset 0 and for a damaged one.
    mutating func utf16<Offset: BinaryInteger>(
        at offset: Offset, for subject: @autoclosure () -> String
    ) -> String? {
        text(at: UInt64(clamping: offset), for: subject(), UTF16Text.whole)
    }

    mutating func utf8(at offset: UInt32, for subject: @autoclosure () -> String) -> String? {
        text(at: UInt64(offset), for: subject()) { $0.text }
    }

    /// Empty at offset 0, which stands for no text.
    mutating func utf8(atIfAny offset: UInt32, for subject: String) -> String? {
        offset == 0 ? "" : utf8(at: offset, for: subject)
    }

    /// The first bytes of Crashpad's MinidumpByteArray in hexadecimal.
    mutating func hexadecimal(at offset: UInt32, for subject: String) -> String? {
        text(at: UInt64(offset), for: subject) { bytes in
            let shown = bytes.slice(from: 0, length: Self.shownByteCount).array
            return shown.spacedHexDigits + (bytes.count > shown.count ? " …" : "")
        }
    }

    private mutating func text(
        at offset: UInt64, for subject: @autoclosure () -> String,
        _ decode: (ByteSlice) -> String
    ) -> String? {
        guard offset != 0 else { return nil }
        let start = Int(clamping: offset)
        var cursor = ByteCursor(source.slice(from: start, length: 4))
        guard let size = try? cursor.read(UInt32.self) else {
            note(subject(), "the text lies past the end of the file")
            return nil
        }
        let room = source.remainingCount(from: start + 4)
        guard Int(size) <= min(room, Self.textByteLimit) else {
            note(subject(), "\(size) bytes of text are not in the file")
            return nil
        }
        guard Int(size) <= textBudget else {
            note(subject(), "there is more text than the file has room for")
            return nil
        }
        textBudget -= Int(size)
        return decode(source.slice(from: start + 4, length: Int(size)))
    }
}
