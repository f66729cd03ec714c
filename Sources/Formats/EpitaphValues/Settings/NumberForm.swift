// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

/// How a number is written in a setting: `yes`, `200`, `2 MiB`. C reads and writes it
/// (epitaph_option_rows.h), so it means the same everywhere.
package struct NumberForm: @unchecked Sendable {
    // Its pointers are NULL, or lead to C's constant table.
    private let row: epitaph_option_row

    package init(_ row: epitaph_option_row) { self.row = row }

    package init(_ kind: epitaph_option_kind, _ range: ClosedRange<some FixedWidthInteger>) {
        var row = epitaph_option_row()
        row.kind = kind
        row.least = UInt64(clamping: range.lowerBound)
        row.most = UInt64(clamping: range.upperBound)
        self.row = row
    }

    package static let flag = NumberForm(EPITAPH_OPTION_FLAG, 0...1)

    /// The permitted values, in words that follow "is".
    package var words: String {
        text { buffer in withUnsafePointer(to: row) { epitaph_option_words($0, buffer) } }
    }

    package func text(of number: UInt64) -> String {
        text { buffer in withUnsafePointer(to: row) { epitaph_option_write($0, number, buffer) } }
    }

    package func number(in text: String) -> UInt64? {
        // C would take a NUL for the end.
        guard !text.utf8.contains(0) else { return nil }
        var number: UInt64 = 0
        return withUnsafePointer(to: row) { epitaph_option_read($0, text, &number) } ? number : nil
    }

    private func text(_ write: (UnsafeMutablePointer<CChar>) -> Void) -> String {
        withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: EPITAPH_OPTION_WORDS_SIZE
        ) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            write(start)
            return String(cString: start)
        }
    }
}
