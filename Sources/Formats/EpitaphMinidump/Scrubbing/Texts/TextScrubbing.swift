// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct TextScrubbing: Sendable {
    let rules: ScrubbingRules
    let secrets: SecretSearch

    func scrubbed(_ annotations: [Annotation]) -> [Annotation] {
        annotations.filter { rules.keepsAnnotation(written: ReportFacts.written($0.name)) }
            .map { scrubbed($0) }
    }

    func scrubbed(_ messages: [CrashMessage]) -> [CrashMessage] {
        guard !rules.removedParts.contains(.messages) else { return [] }
        return messages.enumerated()
            .filter { !rules.annotations.denies(ReportFacts.messageName($0.offset)) }
            .map { CrashMessage(source: $0.element.source, text: scrubbed($0.element.text)) }
    }

    func scrubbed(_ breadcrumbs: [Breadcrumb]) -> [Breadcrumb] {
        guard !rules.removedParts.contains(.breadcrumbs) else { return [] }
        return breadcrumbs.map { breadcrumb in
            var breadcrumb = breadcrumb
            breadcrumb.category = scrubbed(breadcrumb.category)
            breadcrumb.message = scrubbed(breadcrumb.message)
            breadcrumb.kind = scrubbed(breadcrumb.kind)
            breadcrumb.attributes = breadcrumb.attributes
                .filter { rules.annotations.keeps($0.name) }.map { scrubbed($0) }
            return breadcrumb
        }
    }

    private func scrubbed(_ annotation: Annotation) -> Annotation {
        var annotation = annotation
        annotation.value = scrubbed(annotation.value)
        return annotation
    }

    private func scrubbed(_ text: String) -> String {
        var bytes = Array(text.utf8)
        let copies = bytes.withUnsafeBytes { secrets.copies(in: $0, limit: .max) }
        for index in copies.joined() { bytes[index] = ByteFates.mask }
        let masked = copies.isEmpty ? text : String(decoding: bytes, as: UTF8.self)
        return rules.hidesHomeDirectories ? HomeDirectories.hidden(in: masked) : masked
    }
}

/// Byte count, bytes, terminator. MINIDUMP_STRING is UTF-16, MinidumpUTF8String UTF-8.
struct StoredText {
    enum Encoding: Int {
        case utf8 = 1
        case utf16 = 2
    }

    let range: Range<Int>
    let text: Range<Int>
    let encoding: Encoding

    init?(at offset: Int, _ encoding: Encoding, in file: MinidumpBytes) {
        guard offset > 0, let size = file.u32(offset),
            UInt64(size) <= UInt64(max(file.count - offset - 4, 0))
        else { return nil }
        let start = offset + 4
        text = start..<start + Int(size)
        range = offset..<min(text.upperBound + encoding.rawValue, file.count)
        self.encoding = encoding
    }
}
