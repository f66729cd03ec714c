// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    mutating func annotations(_ key: DumpKey, in map: DumpMap) -> [Annotation] {
        elements(key, in: map) { map, fields in fields.annotation(map) }
    }

    private mutating func annotation(_ map: DumpMap) -> Annotation? {
        guard let name = text(.annotationName, in: map) else { return nil }
        let type = value(
            .annotationType, in: map, or: AttributeType.string, takenAs: "text")
        guard type != .string else {
            var annotation = Annotation(name: name, value: text(.annotationValue, in: map) ?? "")
            annotation.isCut =
                flag(.annotationIsCut, in: map) || map.property(.annotationValue)?.isCut == true
            return annotation
        }
        guard let bits = integer(.annotationBits, in: map, as: UInt64.self) else {
            note(
                .annotationBits, in: map, "the annotation \"\(name)\" has no value and was left out"
            )
            return nil
        }
        return Annotation(name: name, bits: bits, type: type)
    }

    mutating func addScope(_ scope: DumpMap, to snapshot: inout ProcessSnapshot) {
        snapshot.addScope(
            attributes: annotations(.scopeAttributes, in: scope),
            breadcrumbs: breadcrumbs(.scopeBreadcrumbs, in: scope))
    }

    mutating func breadcrumbs(_ key: DumpKey, in map: DumpMap) -> [Breadcrumb] {
        Breadcrumb.inOrder(elements(key, in: map) { map, fields in fields.breadcrumb(map) })
    }

    private mutating func breadcrumb(_ map: DumpMap) -> Breadcrumb? {
        let time = integer(.breadcrumbTime, in: map, as: UInt64.self)
        guard let time, let message = text(.breadcrumbMessage, in: map) else {
            note(
                .breadcrumbMessage, in: map,
                "a breadcrumb has no time or no message and was left out")
            return nil
        }
        var breadcrumb = Breadcrumb(
            number: integer(.breadcrumbNumber, in: map) ?? 0, timeNanoseconds: time,
            uptimeNanoseconds: integer(.breadcrumbUptime, in: map),
            level: value(.breadcrumbLevel, in: map, or: .info, takenAs: "information"),
            category: text(.breadcrumbCategory, in: map) ?? "", message: message)
        breadcrumb.isCut =
            flag(.breadcrumbIsCut, in: map) || map.property(.breadcrumbMessage)?.isCut == true
        breadcrumb.kind = text(.breadcrumbKind, in: map) ?? ""
        breadcrumb.attributes = annotations(.breadcrumbAttributes, in: map)
        return breadcrumb
    }
}
