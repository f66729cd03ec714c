// SPDX-License-Identifier: Apache-2.0

/// Finds home directories in text, whose last component is usually a person's name.
enum HomeDirectories {
    /// Each is followed by a name. Windows writes one backslash; JSON escapes it, or the slash.
    private static let parents = [
        "/home/", "/Users/", "\\/home\\/", "\\/Users\\/", ":\\Users\\", ":\\\\Users\\\\",
    ].map { Array($0.utf8) }
    /// The administrator's, without a name.
    private static let root = Array("/root".utf8)
    private static let sign: UInt8 = 0x7e

    /// The text (UTF-8 or UTF-16) with `~` for home directories, and these, in UTF-8.
    static func hidden<Unit: FixedWidthInteger & UnsignedInteger>(
        in text: [Unit]
    ) -> (text: [Unit], homes: [[Unit]]) {
        var result: [Unit] = []
        var homes: [[Unit]] = []
        var copied = 0
        var index = 0
        while index < text.count {
            guard let end = homeEnd(in: text, at: index) else {
                index += 1
                continue
            }
            result += text[copied..<index]
            // The drive letter belongs to the directory.
            if text[index] == UInt8(ascii: ":"), index > copied { result.removeLast() }
            result.append(Unit(sign))
            homes.append(Array(text[index..<end]))
            (index, copied) = (end, end)
        }
        return homes.isEmpty ? (text, []) : (result + text[copied...], homes)
    }

    static func hidden(in text: String) -> String {
        let bytes = hidden(in: Array(text.utf8))
        return bytes.homes.isEmpty ? text : String(decoding: bytes.text, as: UTF8.self)
    }

    private static func homeEnd<Unit: FixedWidthInteger & UnsignedInteger>(
        in text: [Unit], at start: Int
    ) -> Int? {
        // Most characters cannot begin one.
        guard [0x2f, 0x5c, 0x3a].contains(text[start]) else { return nil }
        for parent in parents where matches(parent, text, at: start) {
            let name = start + parent.count
            var end = name
            let isWindows = parent[0] == UInt8(ascii: ":")
            while end < text.count, !endsName(text[end], isWindows: isWindows) { end += 1 }
            return end > name ? end : nil
        }
        guard matches(root, text, at: start) else { return nil }
        let end = start + root.count
        let isBegin = start == 0 || !isNameLetter(text[start - 1])
        return isBegin && (end == text.count || !isNameLetter(text[end])) ? end : nil
    }

    private static func matches<Unit: FixedWidthInteger>(
        _ word: [UInt8], _ text: [Unit], at start: Int
    ) -> Bool {
        guard text.count - start >= word.count else { return false }
        return word.indices.allSatisfy { text[start + $0] == word[$0] }
    }

    private static func endsName<Unit: FixedWidthInteger>(_ unit: Unit, isWindows: Bool) -> Bool {
        if unit == 0x20 { return !isWindows }
        // Control characters, and " ' ( ) , / : ; < > \ ] |
        let ends: [UInt8] = [
            0x22, 0x27, 0x28, 0x29, 0x2c, 0x2f, 0x3a, 0x3b, 0x3c, 0x3e, 0x5c, 0x5d, 0x7c,
        ]
        return unit < 0x20 || ends.contains { unit == $0 }
    }

    private static func isNameLetter<Unit: FixedWidthInteger>(_ unit: Unit) -> Bool {
        (0x30...0x39).contains(unit) || (0x41...0x5a).contains(unit)
            || (0x61...0x7a).contains(unit) || unit == 0x5f || unit == 0x2d || unit == 0x2e
            || unit >= 0x80
    }
}
