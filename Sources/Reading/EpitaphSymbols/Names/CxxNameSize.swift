// SPDX-License-Identifier: Apache-2.0

/// An upper bound of a demangled length. Parts can refer to earlier parts, so 200 bytes can expand
/// to gigabytes: Itanium C++ ABI, 5.1.10, "Compression".
struct CxxNameSize {
    /// Real names are far shorter; the demangler takes a quarter of a second for this many bytes.
    private static let limit = 1 << 26

    private var bytes: Substring.UTF8View
    /// Sizes of the open parts, the whole name first.
    private var open = [0]
    private var largest = 1

    static func isBounded(_ name: String) -> Bool {
        var size = CxxNameSize(bytes: name.utf8[...])
        return size.measure()
    }

    private init(bytes: Substring.UTF8View) {
        self.bytes = bytes
    }

    private mutating func measure() -> Bool {
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): skipIdentifier(byte)
            case UInt8(ascii: "S"), UInt8(ascii: "T"): addReference()
            // Two-letter codes: DF16_, DI, D0 and others.
            case UInt8(ascii: "D"): _ = bytes.popFirst()
            case UInt8(ascii: "I"), UInt8(ascii: "N"): open.append(0)
            case UInt8(ascii: "E"): close()
            default: add(8)
            }
            guard open[open.count - 1] < Self.limit, open.count < 4_096 else { return false }
        }
        while open.count > 1 { close() }
        return open[0] < Self.limit
    }

    private mutating func add(_ count: Int) {
        open[open.count - 1] += count
    }

    private mutating func skipIdentifier(_ first: UInt8) {
        var length = Int(first - UInt8(ascii: "0"))
        while let digit = bytes.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit,
            length < Demangler.lengthLimit
        {
            length = length * 10 + Int(digit - UInt8(ascii: "0"))
            bytes.removeFirst()
        }
        bytes = bytes.dropFirst(length)
        add(min(length, Demangler.lengthLimit) + 4)
    }

    /// S_, S1_, T_, T0_, or a standard library name with one letter.
    private mutating func addReference() {
        let number = bytes.prefix { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        }
        guard bytes.dropFirst(number.count).first == UInt8(ascii: "_") else {
            _ = bytes.popFirst()
            return add(48)
        }
        bytes = bytes.dropFirst(number.count + 1)
        add(largest)
    }

    private mutating func close() {
        guard let part = open.popLast() else { return }
        largest = min(max(largest, part), Self.limit)
        if open.isEmpty { open = [0] }
        open[open.count - 1] += part
    }
}
