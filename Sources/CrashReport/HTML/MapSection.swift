// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The images in the process.
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
            MapSection.leftOut(modules.count - mostRows, "modules")
        }
    }

    private static func row(_ module: ModuleSnapshot, _ problem: String?) -> Markup {
        element("tr") {
            element("th", Attribute("scope", "row")) { MapSection.range(module.addressRange) }
            element("td") {
                element("span", .class("path")) { module.path }
                if module.kind != .sharedObject {
                    " "
                    Parts.tag(module.kind.word)
                }
                if let problem { element("div", .class("problem")) { problem } }
            }
            element("td") {
                if module.buildID.isEmpty {
                    element("span", .class("unknown")) { "none" }
                } else {
                    Parts.code(module.buildID.hexDigits)
                }
            }
        }
    }
}

/// The memory map of the process.
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
                leftOut(mappings.count - mostRows, "mappings")
            }
        }
    }

    private static func row(_ mapping: MemoryMapping) -> Markup {
        let range = mapping.addressRange
        return element("tr") {
            element("th", Attribute("scope", "row")) { Self.range(range) }
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

    static func range(_ range: Range<UInt64>) -> Markup {
        MarkupBuilder.buildArray([
            Markup(text: range.lowerBound.shortHex), Markup(text: "–"),
            Markup(text: range.upperBound.shortHex),
        ])
    }

    /// What a page says where it does not show everything.
    static func leftOut(_ count: Int, _ things: String) -> Markup? {
        guard count > 0 else { return nil }
        return element("p", .class("note")) {
            "\(grouped(count)) more \(things) are left out here; the JSON form of this report has "
                + "them all."
        }
    }
}

extension UInt64 {
    /// 12 digits, as many as user space needs, so that columns line up; more where there are more.
    var shortHex: String {
        let digits = String(self, radix: 16)
        return "0x" + String(repeating: "0", count: Swift.max(12 - digits.count, 0)) + digits
    }
}
