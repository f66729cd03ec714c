// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The time of a minidump's crash, without the rest. The header has whole seconds; Epitaph's
/// minidumps also have an annotation with microseconds.
package enum MinidumpTime {
    private static let infoByteCount = 44
    private static let streamLimit = 1_000
    private static let annotationLimit = 1_000
    private static let digitLimit = 20

    /// Nil if this is not a minidump or has no time. `bytes` returns this many bytes, a few at a
    /// time, from a file offset on, fewer where the file ends.
    package static func read(
        _ bytes: (_ offset: Int, _ count: Int) -> [UInt8]
    ) -> Timestamp? {
        (try? microseconds(bytes)) ?? nil
    }

    private static func microseconds(
        _ bytes: (_ offset: Int, _ count: Int) -> [UInt8]
    ) throws(TruncatedRead) -> Timestamp? {
        func cursor(_ offset: UInt32, _ count: Int) -> ByteCursor {
            ByteCursor(ByteSlice(bytes(Int(offset), count)))
        }
        var header = cursor(0, MinidumpWriter.headerByteCount)
        guard try header.read(UInt32.self) == MinidumpFile.signature else { return nil }
        try header.skip(4)
        let streamCount = try header.read(UInt32.self)
        let directoryOffset = try header.read(UInt32.self)
        try header.skip(4)
        let seconds = try header.read(UInt32.self)
        let whole = seconds == 0 ? nil : Timestamp(secondsSince1970: Double(seconds))

        let directoryByteCount =
            min(Int(streamCount), streamLimit) * MinidumpWriter.directoryEntryByteCount
        var directory = cursor(directoryOffset, directoryByteCount)
        while directory.remainingCount >= MinidumpWriter.directoryEntryByteCount {
            let type = StreamType(rawValue: try directory.read(UInt32.self))
            let place = try directory.readLocation()
            guard type == .crashpadInfo else { continue }
            // The annotations come after the version and two ids.
            var info = cursor(place.offset, infoByteCount)
            guard (try? info.skip(36)) != nil, let list = try? info.readLocation() else { break }
            return annotation(listedAt: list, cursor) ?? whole
        }
        return whole
    }

    /// The last one counts, as in a full read: Epitaph's annotations come after the program's.
    private static func annotation(
        listedAt list: Location, _ cursor: (UInt32, Int) -> ByteCursor
    ) -> Timestamp? {
        var entries = cursor(list.offset, min(Int(list.size), 4 + annotationLimit * 8))
        guard (try? entries.skip(4)) != nil else { return nil }
        var places: [(name: UInt32, value: UInt32)] = []
        while let name = try? entries.read(UInt32.self), let value = try? entries.read(UInt32.self)
        {
            places.append((name, value))
        }
        let wanted = ReportFacts.snapshotTime
        for place in places.reversed() where text(at: place.name, wanted.utf8.count) == wanted {
            return text(at: place.value, digitLimit).flatMap(ReportAnnotations.time)
        }
        return nil

        func text(at offset: UInt32, _ limit: Int) -> String? {
            var record = cursor(offset, 4 + limit)
            guard let count = try? record.read(UInt32.self), count <= limit,
                let text = try? record.readSlice(count: Int(count))
            else { return nil }
            return text.text
        }
    }
}
