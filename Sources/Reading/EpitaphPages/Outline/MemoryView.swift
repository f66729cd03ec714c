// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphUnwinding
import EpitaphValues

/// Memory as rows of 16 bytes around a marked address.
package struct MemoryView {
    package static let bytesPerRow: UInt64 = 16

    package let title: String
    package let marked: UInt64
    /// A description of `marked`.
    package let place: String?
    /// Rows with at least one captured byte.
    package let rows: [Row]

    package struct Row {
        package let address: UInt64
        /// Nil if not captured.
        package let bytes: [UInt8?]
        /// Places that its two words point to.
        package let places: [String]
        /// Index of the marked byte, if it is in this row.
        package let marked: Int?
    }

    /// Nil if no byte was captured.
    ///
    /// - Parameters:
    ///   - before: bytes shown before the marked address.
    ///   - after: bytes shown from it on.
    package init?(
        _ title: String, _ memory: CapturedRegions, _ book: AddressBook, at marked: UInt64,
        before: UInt64, after: UInt64
    ) {
        let first = (marked - min(before, marked)) & ~(Self.bytesPerRow - 1)
        let (end, wraps) = marked.addingReportingOverflow(after)
        let last = min(wraps ? .max : end, .max - Self.bytesPerRow)
        guard first < last else { return nil }
        let rows = stride(from: first, to: last, by: Int(Self.bytesPerRow)).compactMap { address in
            Row(address, memory, book, marked: marked)
        }
        guard !rows.isEmpty else { return nil }
        self.title = title
        self.marked = marked
        self.rows = rows
        place = book.place(of: marked)
    }
}

extension MemoryView.Row {
    fileprivate init?(
        _ address: UInt64, _ memory: CapturedRegions, _ book: AddressBook, marked: UInt64
    ) {
        let bytes = (0..<MemoryView.bytesPerRow).map { memory.byte(at: address &+ $0) }
        guard bytes.contains(where: { $0 != nil }) else { return nil }
        self.address = address
        self.bytes = bytes
        let position = marked &- address
        self.marked = position < MemoryView.bytesPerRow ? Int(position) : nil
        places = [0, 8].compactMap { start -> String? in
            let word = bytes[start..<start + 8].reversed().reduce(0 as UInt64?) { value, byte in
                guard let value, let byte else { return nil }
                return value << 8 | UInt64(byte)
            }
            guard let word, word >= 4096, book.leadsSomewhere(word) else { return nil }
            return book.place(of: word, namingThreads: false)
        }
    }
}

/// Memory around the fault, the stack pointer and other register values.
package struct MemoryOutline {
    package let book: AddressBook
    /// Nil if the signal has no address.
    package let fault: UInt64?
    package let atFault: MemoryView?
    package let atStackPointer: MemoryView?
    package let atOtherRegisters: [MemoryView]
    /// Stacks first.
    package let regions: [MemoryRegion]

    package init?(_ outline: ReportOutline, _ book: AddressBook) {
        let snapshot = outline.snapshot
        let memory = CapturedRegions(snapshot)
        let registers = outline.explanation.faultRegisters
        regions = snapshot.threads.compactMap(\.stack) + snapshot.memory
        fault = outline.explanation.cause?.address
        guard fault != nil || registers != nil || !regions.isEmpty else { return nil }
        self.book = book
        atFault = fault.flatMap {
            MemoryView("At the address", memory, book, at: $0, before: 64, after: 128)
        }
        atStackPointer = registers.flatMap {
            MemoryView(
                "At the stack pointer", memory, book, at: $0.stackPointer, before: 64, after: 320)
        }
        var seen = Set([fault, registers?.stackPointer].compactMap(\.self))
        atOtherRegisters = (registers?.named ?? []).compactMap { name, value in
            guard seen.insert(value).inserted else { return nil }
            return MemoryView(
                "Where \(name) points", memory, book, at: value, before: 16, after: 48)
        }
    }
}

extension CapturedRegions {
    fileprivate func byte(at address: UInt64) -> UInt8? {
        region(at: address).flatMap { $0.bytes.byte(at: Int(clamping: address - $0.address)) }
    }
}
