// SPDX-License-Identifier: Apache-2.0

import Snapshot

extension FieldReader {
    /// Maps of a name and a value.
    mutating func annotations(_ key: DumpKey, in map: DumpMap) -> [Annotation] {
        elements(key, in: map) { map, fields in fields.annotation(map) }
    }

    private mutating func annotation(_ map: DumpMap) -> Annotation? {
        guard let name = text(.annotationName, in: map) else { return nil }
        let type = annotationType(map)
        guard type != .string else {
            var annotation = Annotation(name: name, value: text(.annotationValue, in: map) ?? "")
            let isCut = integer(.annotationIsCut, in: map, as: UInt8.self) ?? 0
            annotation.isCut = isCut != 0 || map.property(.annotationValue)?.isCut == true
            return annotation
        }
        guard let bits = integer(.annotationBits, in: map, as: UInt64.self) else {
            note(
                place(of: .annotationBits, in: map),
                "the annotation \"\(name)\" has no value and was left out")
            return nil
        }
        return Annotation(name: name, bits: bits, type: type)
    }

    /// One that is not known has a text, or none.
    private mutating func annotationType(_ map: DumpMap) -> AttributeType {
        guard let number = integer(.annotationType, in: map, as: UInt8.self) else {
            return .string
        }
        guard let type = AttributeType(rawValue: number) else {
            note(
                place(of: .annotationType, in: map),
                "ANNOTATION_TYPE \(number) is not known; taken as text")
            return .string
        }
        return type
    }

    /// What the crashed task knew of itself: marked, and among what the process knew.
    mutating func addScope(_ scope: DumpMap, to snapshot: inout ProcessSnapshot) {
        // The innermost scope comes first, and its attributes count.
        var names: Set<String> = []
        var own = annotations(.scopeAttributes, in: scope).filter { names.insert($0.name).inserted }
        for index in own.indices { own[index].isOfTask = true }
        snapshot.annotations.removeAll { names.contains($0.name) }
        snapshot.annotations += own
        snapshot.breadcrumbs = breadcrumbs(
            .scopeBreadcrumbs, in: scope, among: snapshot.breadcrumbs)
    }

    /// A breadcrumb of the scope has the number that it has in the process, and is in the list of
    /// the process as well, unless others have taken its place there.
    private mutating func breadcrumbs(
        _ key: DumpKey, in scope: DumpMap, among all: [Breadcrumb]
    ) -> [Breadcrumb] {
        var all = all
        for var breadcrumb in breadcrumbs(key, in: scope) {
            breadcrumb.isOfTask = true
            if let index = all.firstIndex(where: {
                $0.number == breadcrumb.number && $0.timeNanoseconds == breadcrumb.timeNanoseconds
            }) {
                all[index] = breadcrumb
            } else {
                all.append(breadcrumb)
            }
        }
        return Self.inOrder(all)
    }
}
