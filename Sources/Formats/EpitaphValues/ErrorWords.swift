// SPDX-License-Identifier: Apache-2.0

/// What an error of the program says of itself. Where it says nothing, Swift describes all values
/// in it, with some 5 KiB of stack for each level: an error that wraps an earlier one again and
/// again would end the program.
package enum ErrorWords {
    private static let deepest = 32
    private static let mostValues = 4_096

    package static func of(_ error: any Error) -> String {
        var budget = mostValues
        guard nests(error, deeperThan: deepest, &budget) else { return String(describing: error) }
        var text = ""
        dump(error, to: &text, maxDepth: deepest / 2, maxItems: 100)
        return text
    }

    /// Whether describing takes more levels, or more values than are looked at.
    private static func nests(
        _ value: Any, deeperThan levels: Int, _ budget: inout Int
    ) -> Bool {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        // Described as what is in them.
        case .optional, .collection, .set, .dictionary, .tuple: break
        // Of an object Swift says the type alone.
        case .class, nil: return false
        default: if hasWords(value) { return false }
        }
        for child in mirror.children {
            budget -= 1
            guard levels > 0, budget > 0, !nests(child.value, deeperThan: levels - 1, &budget)
            else { return true }
        }
        return false
    }

    private static func hasWords(_ value: Any) -> Bool {
        value is any CustomStringConvertible || value is any CustomDebugStringConvertible
            || value is any TextOutputStreamable
    }
}
