// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// Memory around the fault, the stack pointer, and wherever registers led.
enum MemorySection {
    static let mostRegions = 500

    static func markup(_ explanation: CrashExplanation, _ book: AddressBook) -> Markup? {
        let snapshot = explanation.snapshot
        let memory = CapturedBytes(snapshot)
        let regions = snapshot.threads.compactMap(\.stack) + snapshot.memory
        let fault = explanation.cause?.address
        let registers = explanation.faultRegisters
        guard fault != nil || registers != nil || !regions.isEmpty else { return nil }
        return Parts.section("memory", "Memory") {
            if let fault { atFault(fault, memory, book) }
            if let pointer = registers?.stackPointer {
                HexView(
                    title: "At the stack pointer", memory: memory, marked: pointer, before: 64,
                    after: 320
                ).markup(book)
            }
            elsewhere(registers, memory, book, shown: fault)
            captured(regions, book)
        }
    }

    private static func atFault(
        _ address: UInt64, _ memory: CapturedBytes, _ book: AddressBook
    ) -> Markup {
        let view = HexView(
            title: "At the address", memory: memory, marked: address, before: 64, after: 128)
        return view.markup(book)
            ?? element("p", .class("note")) {
                "The dump has no bytes at "
                Parts.code(address.paddedHex)
                (book.place(of: address).map { ": \($0)" } ?? "") + "."
            }
    }

    /// A short view of what each other register points to.
    private static func elsewhere(
        _ registers: RegisterSnapshot?, _ memory: CapturedBytes, _ book: AddressBook,
        shown: UInt64?
    ) -> Markup? {
        guard let registers else { return nil }
        var seen = Set([shown, registers.stackPointer].compactMap(\.self))
        let views = registers.named.compactMap { name, value -> Markup? in
            guard seen.insert(value).inserted else { return nil }
            return HexView(
                title: "Where \(name) points", memory: memory, marked: value, before: 16,
                after: 48
            ).markup(book)
        }
        guard !views.isEmpty else { return nil }
        let others = counted(views.count, "other register points", "other registers point")
        return Parts.folded(Markup(text: "Where \(others)")) { views }
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
                    element("tr") {
                        element("th", Attribute("scope", "row")) { region.address.paddedHex }
                        element("td", .class("amount")) { grouped(region.bytes.count) }
                        element("td") { book.place(of: region.address) }
                    }
                }
            }
            MapSection.leftOut(regions.count - mostRegions, "ranges")
        }
    }
}

/// `64 KiB`, `1.5 MiB`
func byteCount(_ count: Int) -> String {
    if count < 1024 { return counted(count, "byte") }
    let kibibytes = Double(count) / 1024
    if kibibytes < 1024 { return "\(short(kibibytes)) KiB" }
    if kibibytes < 1_048_576 { return "\(short(kibibytes / 1024)) MiB" }
    return "\(short(kibibytes / 1_048_576)) GiB"
}

/// One digit behind the point where it says something.
private func short(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 || tenths >= 1000
        ? grouped(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
}
