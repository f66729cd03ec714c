// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

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

    /// What the crashed task knew of itself.
    mutating func addScope(_ scope: DumpMap, to snapshot: inout ProcessSnapshot) {
        snapshot.addScope(
            attributes: annotations(.scopeAttributes, in: scope),
            breadcrumbs: breadcrumbs(.scopeBreadcrumbs, in: scope))
    }
}
