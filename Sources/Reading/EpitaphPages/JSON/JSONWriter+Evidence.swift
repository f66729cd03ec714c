// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

extension JSONWriter {
    mutating func write(modules: [ModuleSnapshot], problems: [Int: String]) {
        objects(.modules, modules.enumerated()) { writer, item in
            let module = item.element
            writer.member(.index, item.offset)
            if !module.path.isEmpty {
                writer.member(.path, module.path)
                writer.member(.name, module.name)
            }
            writer.member(.kind, module.kind.word)
            writer.member(.start, hex: module.addressRange.lowerBound)
            writer.member(.end, hex: module.addressRange.upperBound)
            writer.member(.loadBias, hex: module.loadBias)
            writer.member(.buildID, module.buildIDDigits)
            writer.member(.soname, module.soname)
            writer.member(.problem, problems[item.offset])
        }
    }

    /// The bytes are in the minidump.
    mutating func write(memory outline: ReportOutline) {
        array(.memory, outline.snapshot.memory) { writer, region in
            writer.object { $0.write(range: region) }
        }
        guard let (mappings, skippedLines) = outline.maps else { return }
        array(.maps, mappings) { $0.write($1) }
        if skippedLines > 0 { member(.skippedMapLines, skippedLines) }
    }

    mutating func write(range region: MemoryRegion) {
        member(.address, hex: region.address)
        member(.size, region.bytes.count)
    }

    private mutating func write(_ mapping: MemoryMapping) {
        object { writer in
            writer.member(.start, hex: mapping.addressRange.lowerBound)
            writer.member(.end, hex: mapping.addressRange.upperBound)
            writer.member(.permissions, mapping.permissions)
            writer.member(.fileOffset, hex: mapping.fileOffset)
            writer.member(.inode, mapping.inode)
            if !mapping.path.isEmpty { writer.member(.path, mapping.path) }
        }
    }

    /// Text files in full, except for the maps, which are written by line.
    mutating func write(_ files: SystemFiles) {
        objects(.files, files.texts) { writer, file in
            writer.member(.path, file.path)
            writer.member(.text, file.bytes.text)
        }
    }

    mutating func write(_ key: JSONKey, _ annotations: [Annotation]) {
        objects(key, annotations) { writer, annotation in
            writer.member(.name, annotation.name)
            writer.member(.value, annotation.value)
            if annotation.type != .string { writer.write(typeOf: annotation) }
            if annotation.isCut { writer.member(.isCut, true) }
            if annotation.isOfTask { writer.member(.isOfTask, true) }
        }
    }

    /// JSON has no form for numbers that are not finite; their text remains.
    private mutating func write(typeOf annotation: Annotation) {
        member(.type, annotation.type.word)
        switch annotation.type {
        case .string: break
        case .integer: member(.typedValue, Int64(annotation.value))
        case .number: member(.typedValue, seconds: Double(annotation.value))
        case .boolean: member(.typedValue, annotation.value == "true")
        }
    }

    mutating func write(_ completeness: Completeness) {
        member(.isComplete, completeness.isComplete)
        if !completeness.doubts.isEmpty { array(.doubts, completeness.doubts) }
        if !completeness.unproven.isEmpty { array(.unproven, completeness.unproven) }
        objects(.damage, completeness.damage) { writer, damage in
            writer.member(.stage, damage.stage.rawValue)
            writer.member(.subject, damage.subject)
            writer.member(.reason, damage.reason)
            writer.member(.errorNumber, damage.errorNumber)
            writer.member(.sentence, damage.sentence)
        }
    }

    mutating func write(breadcrumbs snapshot: ProcessSnapshot) {
        objects(.breadcrumbs, TimedBreadcrumb.all(of: snapshot)) { writer, timed in
            let breadcrumb = timed.breadcrumb
            writer.member(.number, breadcrumb.number)
            writer.member(.time, timed.clockTime)
            writer.member(.uptimeSeconds, nanoseconds: breadcrumb.uptimeNanoseconds)
            writer.member(.secondsBefore, seconds: timed.secondsBefore)
            writer.member(.level, breadcrumb.level.word)
            if !breadcrumb.category.isEmpty { writer.member(.category, breadcrumb.category) }
            writer.member(.message, breadcrumb.message)
            writer.member(.isCut, breadcrumb.isCut)
            if !breadcrumb.kind.isEmpty { writer.member(.kind, breadcrumb.kind) }
            if breadcrumb.isOfTask { writer.member(.isOfTask, true) }
            if !breadcrumb.attributes.isEmpty {
                writer.write(.attributes, breadcrumb.attributes)
            }
        }
    }
}
