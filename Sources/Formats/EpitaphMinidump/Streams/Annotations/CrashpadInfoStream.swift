// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Crashpad's MinidumpCrashpadInfo: ids of report and client, annotations, and on aarch64 the
/// address bits of a pointer. 52 bytes without the mask, 64 with it. Older versions of Breakpad's
/// processor reject the longer form with everything in it; newer ones read both.
enum CrashpadInfoStream {
    private static let version: UInt32 = 1
    private static let annotationLimit = 10_000

    /// - Parameter modules: in the order of the module list.
    static func place(
        _ snapshot: ProcessSnapshot, modules: [ModuleSnapshot], reportID: Epitaph.ID?,
        clientID: Epitaph.ID?,
        in layout: inout FileLayout
    ) -> Location {
        var annotations = ReportAnnotations.encode(snapshot)
        // Crashpad's reader refuses all annotations if a name is repeated (duplicate key,
        // snapshot/minidump/minidump_simple_string_dictionary_reader.cc).
        var names: Set<String> = []
        let isFirst = annotations.map { names.insert(LongText.short($0.name)).inserted }
        let repeated = zip(annotations, isFirst).filter { !$1 }.map(\.0)
        annotations = zip(annotations, isFirst).filter { $1 }.map(\.0)
        var dictionary = ByteBuilder()
        dictionary.append(UInt32(truncatingIfNeeded: annotations.count))
        for annotation in annotations {
            for text in [annotation.name, annotation.value] {
                dictionary.append(layout.placeUTF8(LongText.short(text), for: "annotations"))
            }
        }
        let dictionaryLocation = layout.place(dictionary, for: "annotations")
        let objects = AnnotationObjects.modules(
            annotations: annotations, repeated: repeated, modules: modules)
        let moduleLocation = AnnotationObjects.place(objects, in: &layout)

        var record = ByteBuilder()
        record.append(version)
        record.appendGUID(reportID)
        record.appendGUID(clientID)
        record.append(dictionaryLocation)
        record.append(moduleLocation)
        if let mask = snapshot.system.addressMask {
            record.append(UInt32(0))  // reserved
            record.append(mask)
        }
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
        var links: [ModuleLink] = []
        var objects: [AnnotationObjects.Module] = []
        var end: TruncatedRead?
        do throws(TruncatedRead) {
            let modules = try cursor.readLocation()
            // Short form: the record ends before the mask.
            if cursor.remainingCount >= 12 {
                try cursor.skip(4)
                let mask = try cursor.read(UInt64.self)
                contents.snapshot.system.addressMask = mask == 0 ? nil : mask
            }
            links = try moduleLinks(at: modules, from: &file)
            objects = try readObjects(of: links, from: &file)
        } catch {
            // Keep what was read before the error.
            end = error
        }
        AnnotationObjects.restore(&objects, in: &annotations, &contents.snapshot.modules)
        ReportAnnotations.decode(annotations, into: &contents.snapshot)
        for (link, object) in zip(links, objects) {
            try readModule(link, object.annotations, from: &file, into: &contents.snapshot)
        }
        if let end { throw end }
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

    /// MinidumpModuleCrashpadInfo: a module's messages, simple annotations and annotation objects.
    private struct ModuleLink {
        var index: Int
        var messages: Location
        var dictionary: Location
        var objects: Location
    }

    private static func moduleLinks(
        at location: Location, from file: inout MinidumpFile
    ) throws(TruncatedRead) -> [ModuleLink] {
        guard let list = file.bytes(at: location, for: "module annotations") else { return [] }
        var links: [ModuleLink] = []
        for slice in try file.records(in: list, byteCount: 12, for: "module annotations") {
            var cursor = ByteCursor(slice)
            let index = Int(try cursor.read(UInt32.self))
            guard links.count < annotationLimit else {
                file.note("module annotations", "there are more than \(annotationLimit)")
                break
            }
            let module = try cursor.readLocation()
            guard let record = file.bytes(at: module, for: "module annotations") else { continue }
            cursor = ByteCursor(record, offset: 4)
            links.append(
                ModuleLink(
                    index: index, messages: try cursor.readLocation(),
                    dictionary: try cursor.readLocation(), objects: try cursor.readLocation()))
        }
        return links
    }

    /// Annotations of a module, which Crashpad writes; `objects` are the module's own.
    private static func readModule(
        _ link: ModuleLink, _ objects: [Annotation], from file: inout MinidumpFile,
        into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        guard snapshot.annotations.count < annotationLimit else { return }
        try readDictionary(at: link.dictionary, from: &file, into: &snapshot.annotations)
        for object in objects {
            let name = ReportFacts.name(written: object.name)
            append(name, object.value, to: &snapshot.annotations, noting: &file)
        }
        let isKnown = snapshot.modules.indices.contains(link.index)
        let name = isKnown ? snapshot.modules[link.index].name : ""
        try readMessages(
            at: link.messages, said: name.isEmpty ? "module" : name, from: &file, into: &snapshot)
    }

    private static func readObjects(
        of links: [ModuleLink], from file: inout MinidumpFile
    ) throws(TruncatedRead) -> [AnnotationObjects.Module] {
        var objects: [AnnotationObjects.Module] = []
        var count = 0
        for link in links {
            // Several modules may point to one list.
            let rest = annotationLimit - count
            let list = rest > 0 ? try readObjects(at: link.objects, limit: rest, from: &file) : []
            objects.append(.init(index: link.index, annotations: list))
            count += list.count
        }
        return objects
    }

    /// MinidumpAnnotation, 12 bytes: name, type, reserved, and a value preceded by its byte count.
    /// Type 1 is a string; of others, the beginning of the value is shown in hexadecimal.
    private static func readObjects(
        at location: Location, limit: Int, from file: inout MinidumpFile
    ) throws(TruncatedRead) -> [Annotation] {
        guard let bytes = file.bytes(at: location, for: "module annotations") else { return [] }
        var objects: [Annotation] = []
        for slice in try file.records(in: bytes, byteCount: 12, for: "module annotations") {
            guard objects.count < limit else {
                file.note("annotations", "there are more than \(annotationLimit)")
                break
            }
            var cursor = ByteCursor(slice)
            let name = file.utf8(at: try cursor.read(), for: "annotations")
            let type = try cursor.read(UInt16.self)
            try cursor.skip(2)
            let offset = try cursor.read(UInt32.self)
            let value =
                type == 1
                ? file.utf8(at: offset, for: "annotations")
                : file.hexadecimal(at: offset, for: "annotations")
                    .map { "type \(type.hex): \($0)" }
            append(name, value, to: &objects, noting: &file)
        }
        return objects
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
