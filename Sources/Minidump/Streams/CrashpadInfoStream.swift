// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import Snapshot

/// Crashpad's MinidumpCrashpadInfo, 64 bytes: the report's and the client's id, and the
/// annotations.
enum CrashpadInfoStream {
    private static let version: UInt32 = 1
    /// Readers may meet many annotations in few bytes, because records can share them.
    private static let annotationLimit = 10_000

    static func place(
        _ snapshot: ProcessSnapshot, reportID: UUID?, clientID: UUID?, in layout: inout FileLayout
    ) -> Location {
        let annotations = ReportAnnotations.encode(snapshot)
        var dictionary = ByteBuilder()
        dictionary.append(UInt32(truncatingIfNeeded: annotations.count))
        for annotation in annotations {
            dictionary.append(layout.placeUTF8(annotation.name, for: "annotations"))
            dictionary.append(layout.placeUTF8(annotation.value, for: "annotations"))
        }
        let dictionaryLocation = layout.place(dictionary, for: "annotations")

        var record = ByteBuilder()
        record.append(version)
        record.appendGUID(reportID)
        record.appendGUID(clientID)
        record.append(dictionaryLocation)
        record.append(Location.none)  // annotations of single modules
        record.append(UInt32(0))  // reserved
        record.append(snapshot.system.addressMask ?? 0)
        return layout.place(record, for: "report id and annotations")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into contents: inout MinidumpContents
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream, offset: 4)
        contents.reportID = try cursor.readGUID()
        contents.clientID = try cursor.readGUID()
        var annotations: [Annotation] = []
        try readDictionary(at: try cursor.readLocation(), from: &file, into: &annotations)
        ReportAnnotations.decode(annotations, into: &contents.snapshot)
        let modules = try cursor.readLocation()
        // The record ended here before it had the mask.
        if cursor.remainingCount >= 12 {
            try cursor.skip(4)
            let mask = try cursor.read(UInt64.self)
            contents.snapshot.system.addressMask = mask == 0 ? nil : mask
        }
        try readModules(at: modules, from: &file, into: &contents.snapshot)
    }

    private static func readDictionary(
        at location: Location, from file: inout MinidumpFile, into annotations: inout [Annotation]
    ) throws(TruncatedRead) {
        guard let bytes = file.bytes(at: location, for: "annotations") else { return }
        for slice in try file.records(in: bytes, byteCount: 8, for: "annotations") {
            var cursor = ByteCursor(slice)
            let name = file.utf8(at: try cursor.read(), for: "annotations")
            let value = file.utf8(at: try cursor.read(), for: "annotations")
            append(name, value, to: &annotations, noting: &file)
        }
    }

    /// Annotations of single modules, which Crashpad writes; ours belong to the process.
    private static func readModules(
        at location: Location, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        guard let links = file.bytes(at: location, for: "module annotations") else { return }
        for slice in try file.records(in: links, byteCount: 12, for: "module annotations") {
            var cursor = ByteCursor(slice)
            let index = Int(try cursor.read(UInt32.self))
            guard snapshot.annotations.count < annotationLimit else { return }
            let module = try cursor.readLocation()
            guard let record = file.bytes(at: module, for: "module annotations") else { continue }
            cursor = ByteCursor(record, offset: 4)
            let list = try cursor.readLocation()
            try readDictionary(
                at: try cursor.readLocation(), from: &file, into: &snapshot.annotations)
            try readObjects(at: try cursor.readLocation(), from: &file, into: &snapshot)
            let name = snapshot.modules.indices.contains(index) ? snapshot.modules[index].name : ""
            try readMessages(
                at: list, said: name.isEmpty ? "module" : name, from: &file, into: &snapshot)
        }
    }

    /// MinidumpAnnotation, 12 bytes: name, type, reserved, value behind its byte count. Type 1 is a
    /// string; of others, which mean what the program wants, the beginning is shown in hexadecimal.
    private static func readObjects(
        at location: Location, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        guard let bytes = file.bytes(at: location, for: "module annotations") else { return }
        for slice in try file.records(in: bytes, byteCount: 12, for: "module annotations") {
            var cursor = ByteCursor(slice)
            let name = file.utf8(at: try cursor.read(), for: "annotations")
            let type = try cursor.read(UInt16.self)
            try cursor.skip(2)
            let offset = try cursor.read(UInt32.self)
            let value =
                type == 1
                ? file.utf8(at: offset, for: "annotations")
                : file.hexadecimal(at: offset, for: "annotations")
                    .map { "type 0x\(String(type, radix: 16)): \($0)" }
            append(name, value, to: &snapshot.annotations, noting: &file)
        }
    }

    private static func readMessages(
        at location: Location, said source: String, from file: inout MinidumpFile,
        into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        guard let bytes = file.bytes(at: location, for: "module messages") else { return }
        for slice in try file.records(in: bytes, byteCount: 4, for: "module messages") {
            var cursor = ByteCursor(slice)
            guard snapshot.messages.count < annotationLimit,
                let text = file.utf8(at: try cursor.read(), for: "module messages")
            else { continue }
            snapshot.messages.append(CrashMessage(source: source, text: text))
        }
    }

    private static func append(
        _ name: String?, _ value: String?, to annotations: inout [Annotation],
        noting file: inout MinidumpFile
    ) {
        guard let name, let value else { return }
        guard annotations.count < annotationLimit else {
            return file.note("annotations", "there are more than \(annotationLimit)")
        }
        annotations.append(Annotation(name: name, value: value))
    }
}
