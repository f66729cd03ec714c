// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    /// In the order in which the program noted them. A breadcrumb without a time or a message is
    /// left out.
    mutating func breadcrumbs(_ key: DumpKey, in map: DumpMap) -> [Breadcrumb] {
        Breadcrumb.inOrder(elements(key, in: map) { map, fields in fields.breadcrumb(map) })
    }

    private mutating func breadcrumb(_ map: DumpMap) -> Breadcrumb? {
        let time = integer(.breadcrumbTime, in: map, as: UInt64.self)
        guard let time, let message = text(.breadcrumbMessage, in: map) else {
            note(
                place(of: .breadcrumbMessage, in: map),
                "a breadcrumb has no time or no message and was left out")
            return nil
        }
        var breadcrumb = Breadcrumb(
            number: integer(.breadcrumbNumber, in: map) ?? 0, timeNanoseconds: time,
            uptimeNanoseconds: integer(.breadcrumbUptime, in: map), level: breadcrumbLevel(map),
            category: text(.breadcrumbCategory, in: map) ?? "", message: message)
        let isCut = integer(.breadcrumbIsCut, in: map, as: UInt8.self) ?? 0
        breadcrumb.isCut = isCut != 0 || map.property(.breadcrumbMessage)?.isCut == true
        breadcrumb.kind = text(.breadcrumbKind, in: map) ?? ""
        breadcrumb.attributes = annotations(.breadcrumbAttributes, in: map)
        return breadcrumb
    }

    private mutating func breadcrumbLevel(_ map: DumpMap) -> Breadcrumb.Level {
        guard let number = integer(.breadcrumbLevel, in: map, as: UInt8.self) else { return .info }
        guard let level = Breadcrumb.Level(rawValue: number) else {
            note(
                place(of: .breadcrumbLevel, in: map),
                "BREADCRUMB_LEVEL \(number) is not known; taken as information")
            return .info
        }
        return level
    }
}
