// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The contents of a launch's breadcrumb file: docs/breadcrumb-file.md.
package struct BreadcrumbFile: Sendable, Equatable {
    package let breadcrumbs: [Breadcrumb]
    /// Breadcrumbs that were being written at the end, or were partly overwritten.
    package let tornCount: Int
    /// Breadcrumbs not stored: their writers were held up while others went around the ring.
    package let droppedCount: UInt64
    package let process: ProcessIdentity
    package let launchTime: Timestamp

    package init(_ bytes: ByteSlice) throws(BreadcrumbFileError) {
        let header = try Header(bytes)
        let ring = Ring(bytes.slice(from: header.headerBytes, length: header.dataBytes), header)
        let found = ring.entries()
        breadcrumbs = found.enumerated().map { index, entry in
            entry.breadcrumb(number: UInt64(index) + 1, launch: header.launchMonotonic)
        }
        tornCount = ring.tornCount(among: found)
        droppedCount = header.dropped
        process = header.process
        launchTime = Timestamp(
            secondsSince1970: Double(header.launchTime / 1000) / 1_000_000)
    }
}

package enum BreadcrumbFileError: Error, Sendable, Equatable, CustomStringConvertible {
    case damaged(String)
    case otherVersion(UInt32)

    package var description: String {
        switch self {
        case .damaged(let reason): "it is no whole breadcrumb file: \(reason)"
        case .otherVersion(let version):
            "it is a breadcrumb file of version \(version), and only version 1 is known"
        }
    }
}

/// Checksum of little-endian words of eight bytes; texts are padded with zeros.
private struct Checksum {
    private(set) var sum: UInt64 = 0x4550_4954_4252_4352

    mutating func add(_ bytes: some RandomAccessCollection<UInt8>) {
        var start = bytes.startIndex
        while start != bytes.endIndex {
            let end = bytes.index(start, offsetBy: 8, limitedBy: bytes.endIndex) ?? bytes.endIndex
            let word = bytes[start..<end].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            sum = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
            sum ^= sum >> 32
            start = end
        }
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    fileprivate func number(at offset: Int, _ count: Int) -> UInt64 {
        self[(startIndex + offset)..<(startIndex + offset + count)].reversed()
            .reduce(0) { $0 << 8 | UInt64($1) }
    }
}

private struct Header {
    static let sizeBytes = 256
    private static let checkedBytes = 80
    private static let magic = Array("EPIBRCRM".utf8)
    /// Epitaph makes no larger ones.
    private static let mostDataBytes: UInt64 = 16 << 20

    let headerBytes: Int
    let dataBytes: Int
    let process: ProcessIdentity
    let launchTime: UInt64
    let launchMonotonic: UInt64
    let next: UInt64
    let dropped: UInt64

    init(_ bytes: ByteSlice) throws(BreadcrumbFileError) {
        let head = bytes.slice(from: 0, length: Self.sizeBytes).array
        guard head.count == Self.sizeBytes else {
            throw .damaged("it has \(bytes.count) bytes, fewer than its header")
        }
        guard head.starts(with: Self.magic) else { throw .damaged("it does not begin as one") }
        let version = UInt32(head.number(at: 8, 4))
        guard version == 1 else { throw .otherVersion(version) }
        var checksum = Checksum()
        checksum.add(head[..<Self.checkedBytes])
        guard checksum.sum == head.number(at: Self.checkedBytes, 8) else {
            throw .damaged("the checksum of its header is wrong")
        }
        let data = head.number(at: 16, 8)
        headerBytes = Int(head.number(at: 12, 4))
        guard headerBytes == Self.sizeBytes, data > 0, data <= Self.mostDataBytes,
            data % 64 == 0
        else { throw .damaged("its sizes make no sense") }
        dataBytes = Int(data)
        guard bytes.count >= headerBytes + dataBytes else {
            throw .damaged("it was cut after \(bytes.count) bytes")
        }
        process = ProcessIdentity(
            processID: Int32(truncatingIfNeeded: head.number(at: 24, 4)),
            startTicks: head.number(at: 32, 8), pidNamespace: head.number(at: 56, 8),
            bootID: Epitaph.ID(bytes: head[40..<56]))
        launchTime = head.number(at: 64, 8)
        launchMonotonic = head.number(at: 72, 8)
        next = head.number(at: 128, 8)
        dropped = head.number(at: 136, 8)
    }
}

private struct Entry {
    static let headerBytes = 40
    static let grainBytes = 64

    let position: UInt64
    let sizeBytes: UInt64
    private let time: UInt64
    private let monotonic: UInt64
    private let level: UInt8
    private let isCut: Bool
    private let category: [UInt8]
    private let message: [UInt8]

    init?(in ring: Ring, at offset: Int) {
        let head = ring.bytes(at: offset, count: Self.headerBytes)
        position = head.number(at: 8, 8)
        let messageBytes = Int(head.number(at: 32, 2))
        let categoryBytes = Int(head[34])
        guard position % UInt64(ring.count) == UInt64(offset),
            Self.headerBytes + messageBytes + categoryBytes <= ring.count
        else { return nil }
        category = ring.bytes(at: offset + Self.headerBytes, count: categoryBytes)
        message = ring.bytes(
            at: offset + Self.headerBytes + categoryBytes, count: messageBytes)
        var checksum = Checksum()
        checksum.add(head[8...])
        checksum.add(category)
        checksum.add(message)
        guard checksum.sum == head.number(at: 0, 8) else { return nil }
        let size = Self.headerBytes + categoryBytes + messageBytes
        sizeBytes = UInt64((size + Self.grainBytes - 1) / Self.grainBytes * Self.grainBytes)
        time = head.number(at: 16, 8)
        monotonic = head.number(at: 24, 8)
        level = head[35]
        isCut = head[36] != 0
    }

    func breadcrumb(number: UInt64, launch: UInt64) -> Breadcrumb {
        var breadcrumb = Breadcrumb(
            number: number, timeNanoseconds: time,
            uptimeNanoseconds: monotonic >= launch ? monotonic - launch : nil,
            level: Breadcrumb.Level(rawValue: level) ?? .info,
            category: String(decoding: category, as: UTF8.self),
            message: String(decoding: message, as: UTF8.self))
        breadcrumb.isCut = isCut
        return breadcrumb
    }
}

private struct Ring {
    private let data: [UInt8]
    private let next: UInt64

    var count: Int { data.count }

    init(_ data: ByteSlice, _ header: Header) {
        self.data = data.array
        next = header.next
    }

    func bytes(at offset: Int, count: Int) -> [UInt8] {
        let start = offset % data.count
        let first = min(count, data.count - start)
        return Array(data[start..<(start + first)]) + Array(data[..<(count - first)])
    }

    /// Oldest first, without overwritten ones. An old entry does not count, even if all its bytes
    /// are there, if a newer one was meant to take its place.
    func entries() -> [Entry] {
        let size = UInt64(data.count)
        var found: [Entry] = []
        for offset in stride(from: 0, to: data.count, by: Entry.grainBytes) {
            guard let entry = Entry(in: self, at: offset), entry.position < next,
                next - entry.position <= size
            else { continue }
            found.append(entry)
        }
        return found.sorted { $0.position < $1.position }
    }

    /// Counts gaps between entries and after the last one; one before the first is a partly
    /// overwritten entry, unless the ring has not wrapped around yet.
    func tornCount(among entries: [Entry]) -> Int {
        var expected: UInt64? = next <= UInt64(data.count) ? 0 : nil
        var torn = 0
        for entry in entries {
            if let expected, entry.position > expected { torn += 1 }
            expected = entry.position &+ entry.sizeBytes
        }
        guard let expected else { return next == 0 ? 0 : 1 }
        return expected < next ? torn + 1 : torn
    }
}
