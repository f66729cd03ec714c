// SPDX-License-Identifier: Apache-2.0

/// Decodes Rust's v0 mangling, which begins with `_R`: RFC 2603 and "v0 symbol format" in the rustc
/// book, whose terms are used here. Disambiguators and the compiler's version are left out.
struct RustName {
    /// The text breaks the grammar or expands too far.
    struct Malformed: Error {}

    let text: [UInt8]
    var position = 0
    var output = ""
    /// False inside a part whose output is discarded.
    var isShown = true
    /// Lifetimes introduced by the surrounding `for<...>`.
    var boundLifetimes: UInt64 = 0
    private var depth = 0
    private var stepsLeft = 50_000

    private static let depthLimit = 200
    private static let outputLimit = 16_384

    private init(_ text: [UInt8]) {
        self.text = text
    }

    static func demangle(_ name: String) -> String? {
        guard name.hasPrefix("_R") else { return nil }
        // LLVM's suffixes begin with a dot.
        let encoded = name.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: ".") }
        guard encoded.allSatisfy({ $0 < 0x80 }) else { return nil }
        var decoder = RustName(Array(encoded))
        do {
            // A digit would be the version of a future encoding.
            guard let first = encoded.first, first >= UInt8(ascii: "A") else { return nil }
            try decoder.readPath(isInValue: true)
            if decoder.position < decoder.text.count {
                // The instantiating crate is not part of the name.
                decoder.isShown = false
                try decoder.readPath(isInValue: false)
            }
            return decoder.position == decoder.text.count ? decoder.output : nil
        } catch {
            return nil
        }
    }

    // MARK: What the parts of the decoder share

    /// Runs `body` one level deeper, within the limits on depth and steps.
    mutating func nest(_ body: (inout RustName) throws -> Void) throws {
        guard depth < Self.depthLimit, stepsLeft > 0 else { throw Malformed() }
        depth += 1
        stepsLeft -= 1
        try body(&self)
        depth -= 1
    }

    /// Reads again at an earlier place.
    mutating func followBackReference(_ body: (inout RustName) throws -> Void) throws {
        let start = position - 1
        let target = try readBase62()
        guard target < UInt64(start) else { throw Malformed() }
        // Discarded output need not be read twice.
        guard isShown else { return }
        let resume = position
        position = Int(target)
        try nest(body)
        position = resume
    }

    mutating func put(_ text: String) throws {
        guard isShown else { return }
        output += text
        guard output.utf8.count <= Self.outputLimit else { throw Malformed() }
    }

    var peek: UInt8? { position < text.count ? text[position] : nil }

    mutating func next() throws -> UInt8 {
        guard let byte = peek else { throw Malformed() }
        position += 1
        return byte
    }

    mutating func skip(_ letter: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: letter) else { return false }
        position += 1
        return true
    }

    /// `_` is 0, `0_` is 1, and so on.
    mutating func readBase62() throws -> UInt64 {
        if skip("_") { return 0 }
        var value: UInt64 = 0
        while true {
            let byte = try next()
            if byte == UInt8(ascii: "_") { break }
            guard let digit = Self.base62Digit(byte) else { throw Malformed() }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 62)
            let (sum, overflow) = product.addingReportingOverflow(digit)
            guard !tooLarge, !overflow else { throw Malformed() }
            value = sum
        }
        guard value < .max else { throw Malformed() }
        return value + 1
    }

    /// Counted from 1; 0 without the letter.
    mutating func readOptionalBase62(after letter: Unicode.Scalar) throws -> UInt64 {
        guard skip(letter) else { return 0 }
        let value = try readBase62()
        guard value < .max else { throw Malformed() }
        return value + 1
    }

    private static func base62Digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(byte - UInt8(ascii: "A")) + 36
        default: nil
        }
    }
}
