// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum ModuleSection {
    static let mostRows = 2_000

    static func markup(_ modules: [ModuleSnapshot], _ problems: [Int: String]) -> Markup? {
        guard !modules.isEmpty else { return nil }
        return Parts.section("modules", "Modules") {
            Parts.table("Modules", class: "modules", headings: ["Range", "Module", "Build id"]) {
                for (index, module) in modules.enumerated().prefix(mostRows) {
                    row(module, problems[index])
                }
            }
            Parts.leftOut(modules.count - mostRows, "modules")
        }
    }

    private static func row(_ module: ModuleSnapshot, _ problem: String?) -> Markup {
        Parts.row(range(module.addressRange)) {
            element("td") {
                element("span", .class("path")) { module.path }
                Parts.tag(module.kind.word, if: module.kind != .sharedObject)
                if let problem { element("div", .class("problem")) { problem } }
            }
            element("td") {
                module.buildIDDigits.map { Parts.code($0) }
                    ?? element("span", .class("unknown")) { "none" }
            }
        }
    }

    /// 12 digits, enough for user space, so that columns line up; more if necessary.
    fileprivate static func range(_ range: Range<UInt64>) -> String {
        [range.lowerBound, range.upperBound].map { "0x" + String($0, radix: 16).zeroPadded(to: 12) }
            .joined(separator: "–")
    }
}

enum MapSection {
    static let mostRows = 4_000

    static func markup(_ mappings: [MemoryMapping]?) -> Markup? {
        guard let mappings, !mappings.isEmpty else { return nil }
        return Parts.section("maps", "Memory maps") {
            Parts.folded(Markup(text: counted(mappings.count, "mapping"))) {
                Parts.table(
                    "Memory maps", class: "ranges",
                    headings: ["Range", "Size", "Access", "Offset", "What"]
                ) {
                    for mapping in mappings.prefix(mostRows) { row(mapping) }
                }
                Parts.leftOut(mappings.count - mostRows, "mappings")
            }
        }
    }

    private static func row(_ mapping: MemoryMapping) -> Markup {
        let range = mapping.addressRange
        return Parts.row(ModuleSection.range(range)) {
            element("td", .class("amount")) {
                byteCount(Int(clamping: range.upperBound - range.lowerBound))
            }
            element("td") { mapping.permissions }
            element("td", .class("amount")) {
                mapping.inode == 0 ? "" : mapping.fileOffset.hex
            }
            element("td") { element("span", .class("path")) { mapping.path } }
        }
    }
}
