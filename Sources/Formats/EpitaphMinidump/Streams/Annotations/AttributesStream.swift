// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Types of values, attributes of breadcrumbs, tasks of threads: a count, then records of 16 bytes,
/// whose texts are Crashpad's MinidumpUTF8String elsewhere in the file.
enum AttributesStream {
    private static let recordByteCount = 16
    private static let cutFlag: UInt8 = 1
    private static let ofTaskFlag: UInt8 = 2
    /// Records can share texts, so a small file may announce many.
    private static let limit = 100_000

    private enum Owner: Equatable {
        case report
        case breadcrumb(Int)
        case thread(Int)

        private static let placeMask: UInt32 = 0x0fff_ffff

        var number: UInt32 {
            switch self {
            case .report: 0
            case .breadcrumb(let index): 1 << 28 | UInt32(truncatingIfNeeded: index)
            case .thread(let index): 2 << 28 | UInt32(truncatingIfNeeded: index)
            }
        }

        init?(_ number: UInt32) {
            let place = Int(number & Self.placeMask)
            switch number >> 28 {
            case 0 where place == 0: self = .report
            case 1: self = .breadcrumb(place)
            case 2: self = .thread(place)
            default: return nil
            }
        }
    }

    /// In addition to the types of `AttributeType`.
    private enum Kind {
        static let breadcrumbKind: UInt8 = 0
        static let taskName: UInt8 = 0x10
        static let queueName: UInt8 = 0x11
    }

    private struct Record {
        var owner: Owner
        var type: UInt8
        var flags: UInt8 = 0
        var name = ""
        var value = ""
    }

    static func hasRecords(_ snapshot: ProcessSnapshot) -> Bool { !records(of: snapshot).isEmpty }

    static func place(_ snapshot: ProcessSnapshot, in layout: inout FileLayout) -> Location {
        let records = records(of: snapshot)
        var list = ByteBuilder()
        list.append(UInt32(truncatingIfNeeded: records.count))
        for record in records {
            list.append(record.owner.number, record.type, record.flags)
            list.append(UInt16(0))  // reserved
            for text in [record.name, record.value] {
                list.append(layout.placeUTF8(unlessEmpty: text, for: "attributes"))
            }
        }
        return layout.place(list, for: "attributes")
    }

    private static func flags(of annotation: Annotation) -> UInt8 {
        (annotation.isCut ? cutFlag : 0) | (annotation.isOfTask ? ofTaskFlag : 0)
    }

    private static func records(of snapshot: ProcessSnapshot) -> [Record] {
        // The value itself is in the list of annotations, where every reader looks.
        var names: Set<String> = []
        let typed = snapshot.annotations.compactMap { annotation -> Record? in
            let flags = flags(of: annotation)
            guard names.insert(annotation.name).inserted,
                annotation.type != .string || flags != 0
            else { return nil }
            return Record(
                owner: .report, type: annotation.type.rawValue, flags: flags,
                name: ReportFacts.written(annotation.name))
        }
        let noted = snapshot.breadcrumbs.enumerated().flatMap { index, breadcrumb in
            let owner = Owner.breadcrumb(index)
            let kind =
                breadcrumb.kind.isEmpty
                ? [] : [Record(owner: owner, type: Kind.breadcrumbKind, value: breadcrumb.kind)]
            return kind
                + breadcrumb.attributes.map {
                    Record(
                        owner: owner, type: $0.type.rawValue, flags: flags(of: $0), name: $0.name,
                        value: $0.value)
                }
        }
        return typed + noted + runs(on: WrittenThread.list(of: snapshot).map(\.thread))
    }

    private static func runs(on threads: [ThreadSnapshot]) -> [Record] {
        threads.enumerated().flatMap { index, thread in
            [(Kind.taskName, thread.taskName), (Kind.queueName, thread.queueName)]
                .compactMap { type, name in
                    name.map { Record(owner: .thread(index), type: type, value: $0) }
                }
        }
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var count = 0
        for slice in try file.records(in: stream, byteCount: recordByteCount, for: "attributes") {
            count += 1
            guard count <= limit else {
                return file.note("attributes", "there are more than \(limit)")
            }
            var cursor = ByteCursor(slice)
            let owner = Owner(try cursor.read(UInt32.self))
            let type = try cursor.read(UInt8.self)
            let flags = try cursor.read(UInt8.self)
            try cursor.skip(2)
            guard let name = file.utf8(atIfAny: try cursor.read(), for: "attributes"),
                let value = file.utf8(atIfAny: try cursor.read(), for: "attributes"), let owner
            else { continue }
            apply(
                Record(owner: owner, type: type, flags: flags, name: name, value: value),
                to: &snapshot)
        }
    }

    /// Skips records with an unknown type or place: they may be of a later version.
    private static func apply(_ record: Record, to snapshot: inout ProcessSnapshot) {
        switch record.owner {
        case .report:
            let name = ReportFacts.name(written: record.name)
            guard let type = AttributeType(rawValue: record.type),
                let index = snapshot.annotations.firstIndex(where: { $0.name == name })
            else { return }
            snapshot.annotations[index].type = type
            snapshot.annotations[index].isCut = record.flags & cutFlag != 0
            snapshot.annotations[index].isOfTask = record.flags & ofTaskFlag != 0
        case .breadcrumb(let index):
            guard snapshot.breadcrumbs.indices.contains(index) else { return }
            if record.type == Kind.breadcrumbKind {
                snapshot.breadcrumbs[index].kind = record.value
            } else if let type = AttributeType(rawValue: record.type) {
                var attribute = Annotation(name: record.name, value: record.value, type: type)
                attribute.isCut = record.flags & cutFlag != 0
                snapshot.breadcrumbs[index].attributes.append(attribute)
            }
        case .thread(let index):
            guard snapshot.threads.indices.contains(index) else { return }
            switch record.type {
            case Kind.taskName: snapshot.threads[index].taskName = record.value
            case Kind.queueName: snapshot.threads[index].queueName = record.value
            default: return
            }
        }
    }
}
