// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum MemorySection {
    static let mostRegions = 500

    static func markup(_ memory: MemoryOutline?) -> Markup? {
        guard let memory else { return nil }
        return Parts.section("memory", "Memory") {
            if let fault = memory.fault {
                memory.atFault.map(HexTable.markup) ?? missing(fault, memory.book)
            }
            memory.atStackPointer.map(HexTable.markup)
            elsewhere(memory.atOtherRegisters)
            captured(memory.regions, memory.book)
        }
    }

    private static func missing(_ address: UInt64, _ book: AddressBook) -> Markup {
        element("p", .class("note")) {
            "The dump has no bytes at "
            Parts.code(address.paddedHex)
            (book.place(of: address).map { ": \($0)" } ?? "") + "."
        }
    }

    private static func elsewhere(_ views: [MemoryView]) -> Markup? {
        guard !views.isEmpty else { return nil }
        let others = counted(views.count, "other register points", "other registers point")
        return Parts.folded(Markup(text: "Where \(others)")) { views.map(HexTable.markup) }
    }

    private static func captured(_ regions: [MemoryRegion], _ book: AddressBook) -> Markup? {
        guard !regions.isEmpty else { return nil }
        let size = regions.reduce(0) { $0 + $1.bytes.count }
        let summary =
            "All captured memory: \(counted(regions.count, "range")), \(byteCount(size))"
        return Parts.folded(Markup(text: summary)) {
            element("p", .class("note")) { "The bytes are in the minidump." }
            Parts.table(
                "Captured memory", class: "ranges", headings: ["Address", "Bytes", "Place"]
            ) {
                for region in regions.prefix(mostRegions) {
                    Parts.row(region.address.paddedHex) {
                        element("td", .class("amount")) { region.bytes.count.grouped }
                        element("td") { book.place(of: region.address) }
                    }
                }
            }
            Parts.leftOut(regions.count - mostRegions, "ranges")
        }
    }
}

private enum HexTable {
    static func markup(_ view: MemoryView) -> Markup {
        element("div", .class("hex")) {
            element("h3") {
                view.title
                " "
                Parts.code(view.marked.paddedHex)
                Parts.hint(view.place)
            }
            Parts.table(
                view.title, class: "hex", headings: ["Address", "Bytes", "ASCII", "As pointers"]
            ) {
                for row in view.rows { markup(row) }
            }
        }
    }

    private static func markup(_ row: MemoryView.Row) -> Markup {
        Parts.row(row.address.paddedHex, class: row.marked == nil ? "there" : "here") {
            element("td", .class("bytes")) { hexadecimal(row) }
            element("td", .class("ascii")) { row.bytes.map(ascii).joined() }
            element("td", .class("hint")) { row.places.joined(separator: " · ") }
        }
    }

    /// The marked byte is an element of its own; the gap after eight bytes is wider.
    @MarkupBuilder
    private static func hexadecimal(_ row: MemoryView.Row) -> Markup {
        if let marked = row.marked {
            text(row, 0..<marked)
            element("mark") { row.bytes[marked]?.hexDigits ?? "··" }
            marked == 7 ? "  " : " "
            text(row, marked + 1..<row.bytes.count)
        } else {
            text(row, 0..<row.bytes.count)
        }
    }

    private static func text(_ row: MemoryView.Row, _ range: Range<Int>) -> String {
        range.map { (row.bytes[$0]?.hexDigits ?? "··") + ($0 == 7 ? "  " : " ") }.joined()
    }

    private static func ascii(_ byte: UInt8?) -> String {
        guard let byte else { return " " }
        guard byte >= 0x20, byte < 0x7f else { return "·" }
        return String(Unicode.Scalar(byte))
    }
}
