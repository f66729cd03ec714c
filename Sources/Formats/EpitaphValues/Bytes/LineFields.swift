// SPDX-License-Identifier: Apache-2.0

/// The words of a line, from the left. Between them are blanks.
package struct LineFields {
    private var rest: UnsafeRawBufferPointer

    package init(_ line: UnsafeRawBufferPointer) { rest = line }

    package var first: UInt8? { rest.first }

    package mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard rest.count >= count, rest.count == count || rest[count] == UInt8(ascii: " "),
            zip(rest, UnsafeBufferPointer(start: word.utf8Start, count: count))
                .prefix(count).allSatisfy({ $0 == $1 })
        else { return false }
        drop(count)
        return true
    }

    package mutating func takeWord() -> UnsafeRawBufferPointer {
        var count = 0
        while count < rest.count, rest[count] != UInt8(ascii: " ") { count += 1 }
        let word = UnsafeRawBufferPointer(rebasing: rest[..<count])
        drop(count)
        return word
    }

    /// A number that ends at a blank or at `mark`, which is taken, too; otherwise nil.
    package mutating func takeHexadecimal(before mark: UInt8 = UInt8(ascii: " ")) -> UInt64? {
        takeNumber(radix: 16, before: mark)
    }

    package mutating func takeDecimal() -> UInt64? {
        takeNumber(radix: 10, before: UInt8(ascii: " "))
    }

    private mutating func takeNumber(radix: UInt64, before mark: UInt8) -> UInt64? {
        var value: UInt64 = 0
        var count = 0
        while count < rest.count, rest[count] != mark {
            guard let digit = rest[count].digitValue, digit < radix else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            guard !overflow else { return nil }
            let (sum, exceeds) = product.addingReportingOverflow(UInt64(digit))
            guard !exceeds else { return nil }
            value = sum
            count += 1
        }
        guard count > 0 else { return nil }
        drop(mark == UInt8(ascii: " ") ? count : min(count + 1, rest.count))
        return value
    }

    package var remainder: String { String(decoding: rest, as: UTF8.self) }

    /// And the blanks behind.
    private mutating func drop(_ count: Int) {
        var start = count
        while start < rest.count, rest[start] == UInt8(ascii: " ") { start += 1 }
        rest = UnsafeRawBufferPointer(rebasing: rest[start...])
    }
}
