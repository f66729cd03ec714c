// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Oldest first: a count, then records of 36 bytes; texts are MinidumpUTF8Strings elsewhere.
enum BreadcrumbsStream {
    private static let recordByteCount = 36
    private static let unknownUptime = UInt64.max
    private static let cutFlag: UInt8 = 1
    private static let ofTaskFlag: UInt8 = 2
    /// Records can share texts, so a small file may announce many.
    private static let limit = 10_000

    static func place(_ breadcrumbs: [Breadcrumb], in layout: inout FileLayout) -> Location {
        var list = ByteBuilder()
        list.append(UInt32(truncatingIfNeeded: breadcrumbs.count))
        for breadcrumb in breadcrumbs {
            list.append(breadcrumb.number, breadcrumb.timeNanoseconds)
            list.append(breadcrumb.uptimeNanoseconds ?? unknownUptime, breadcrumb.level.rawValue)
            list.append(
                (breadcrumb.isCut ? cutFlag : 0) | (breadcrumb.isOfTask ? ofTaskFlag : 0))
            list.append(UInt16(0))  // reserved
            for text in [breadcrumb.category, breadcrumb.message] {
                list.append(layout.placeUTF8(unlessEmpty: text, for: "breadcrumbs"))
            }
        }
        return layout.place(list, for: "breadcrumbs")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        for slice in try file.records(
            in: stream, byteCount: recordByteCount, for: "breadcrumbs")
        {
            guard snapshot.breadcrumbs.count < limit else {
                return file.note("breadcrumbs", "there are more than \(limit)")
            }
            if let breadcrumb = try breadcrumb(slice, &file) {
                snapshot.breadcrumbs.append(breadcrumb)
            }
        }
    }

    private static func breadcrumb(
        _ record: ByteSlice, _ file: inout MinidumpFile
    ) throws(TruncatedRead) -> Breadcrumb? {
        var cursor = ByteCursor(record)
        let number = try cursor.read(UInt64.self)
        let time = try cursor.read(UInt64.self)
        let uptime = try cursor.read(UInt64.self)
        let level = try cursor.read(UInt8.self)
        let flags = try cursor.read(UInt8.self)
        try cursor.skip(2)
        guard let category = file.utf8(atIfAny: try cursor.read(), for: "breadcrumbs"),
            let message = file.utf8(atIfAny: try cursor.read(), for: "breadcrumbs")
        else { return nil }
        if Breadcrumb.Level(rawValue: level) == nil {
            file.note("breadcrumbs", "level \(level) is not known; taken as information")
        }
        var breadcrumb = Breadcrumb(
            number: number, timeNanoseconds: time,
            uptimeNanoseconds: uptime == unknownUptime ? nil : uptime,
            level: Breadcrumb.Level(rawValue: level) ?? .info, category: category, message: message)
        breadcrumb.isCut = flags & cutFlag != 0
        breadcrumb.isOfTask = flags & ofTaskFlag != 0
        return breadcrumb
    }
}
