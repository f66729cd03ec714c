// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// Bytes as people read memory: rows of 16 with their addresses and as ASCII.
struct HexView {
    static let bytesPerRow: UInt64 = 16

    let title: String
    let memory: CapturedBytes
    /// The address that is marked.
    let marked: UInt64
    /// How many bytes before and from the marked address on.
    let before: UInt64
    let after: UInt64

    /// Nil when not one of the bytes was captured.
    func markup(_ book: AddressBook) -> Markup? {
        let rows = rows
        guard rows.contains(where: { $0.bytes.contains { $0 != nil } }) else { return nil }
        return element("div", .class("hex")) {
            element("h3") {
                title
                " "
                Parts.code(marked.paddedHex)
                Parts.hint(book.place(of: marked))
            }
            Parts.table(
                title, class: "hex", headings: ["Address", "Bytes", "ASCII", "As pointers"]
            ) {
                for row in rows where row.bytes.contains(where: { $0 != nil }) {
                    markup(row, book)
                }
            }
        }
    }

    private struct Row {
        let address: UInt64
        let bytes: [UInt8?]
    }

    private var rows: [Row] {
        let first = (marked - min(before, marked)) & ~(Self.bytesPerRow - 1)
        let (end, wraps) = marked.addingReportingOverflow(after)
        let last = min(wraps ? .max : end, .max - Self.bytesPerRow)
        guard first < last else { return [] }
        return stride(from: first, to: last, by: Int(Self.bytesPerRow)).map { address in
            Row(
                address: address,
                bytes: (0..<Self.bytesPerRow).map { memory.byte(at: address &+ $0) })
        }
    }

    private func markup(_ row: Row, _ book: AddressBook) -> Markup {
        let position = marked &- row.address
        let isHere = position < Self.bytesPerRow
        return element("tr", .class(isHere ? "here" : "there")) {
            element("th", Attribute("scope", "row")) { row.address.paddedHex }
            element("td", .class("bytes")) {
                hexadecimal(row, marking: isHere ? Int(position) : nil)
            }
            element("td", .class("ascii")) { row.bytes.map(Self.ascii).joined() }
            element("td", .class("hint")) { pointers(row, book) }
        }
    }

    /// The marked byte is an element of its own, and there is a wider gap after eight bytes.
    private func hexadecimal(_ row: Row, marking marked: Int?) -> Markup {
        func text(_ range: Range<Int>) -> String {
            range.map { index in
                (row.bytes[index].map { [$0].hexDigits } ?? "··") + (index == 7 ? "  " : " ")
            }.joined()
        }
        let count = row.bytes.count
        guard let marked else { return Markup(text: text(0..<count)) }
        return MarkupBuilder.buildArray([
            Markup(text: text(0..<marked)),
            element("mark") { row.bytes[marked].map { [$0].hexDigits } ?? "··" },
            Markup(text: marked == 7 ? "  " : " "), Markup(text: text(marked + 1..<count)),
        ])
    }

    private static func ascii(_ byte: UInt8?) -> String {
        guard let byte else { return " " }
        guard byte >= 0x20, byte < 0x7f else { return "·" }
        return String(Unicode.Scalar(byte))
    }

    /// What the two words of a row lead to.
    private func pointers(_ row: Row, _ book: AddressBook) -> String {
        [0, 8].compactMap { start -> String? in
            let word = row.bytes[start..<start + 8].reversed().reduce(0 as UInt64?) { value, byte in
                guard let value, let byte else { return nil }
                return value << 8 | UInt64(byte)
            }
            guard let word, word >= 4096, book.leadsSomewhere(word) else { return nil }
            return book.place(of: word, namingThreads: false)
        }.joined(separator: " · ")
    }
}

/// The captured memory of a process, by address.
struct CapturedBytes {
    /// By address.
    private let regions: [MemoryRegion]

    init(_ snapshot: ProcessSnapshot) {
        regions = (snapshot.threads.compactMap(\.stack) + snapshot.memory)
            .filter { !$0.bytes.isEmpty }.sorted { $0.address < $1.address }
    }

    func byte(at address: UInt64) -> UInt8? {
        let low = regions.prefixCount { $0.address <= address }
        // A small region may lie inside a larger one that begins earlier.
        return regions[max(0, low - 8)..<low].last { $0.addressRange.contains(address) }
            .flatMap { $0.bytes.byte(at: Int(clamping: address - $0.address)) }
    }
}
