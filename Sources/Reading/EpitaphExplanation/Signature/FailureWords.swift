// SPDX-License-Identifier: Apache-2.0

/// The message of a runtime or program that stopped itself.
package struct FailureWords: Sendable, Equatable {
    /// The same for all failures of one kind: `Index out of range`, `fatal error`.
    package var sort: String
    /// The author's text, with inserted values: `ledger 2 is gone`.
    package var text: String?
    /// The location in the message, right even if merged traps have no line.
    package var source: ReportFrame.Source?
    /// True if `sort` is source text, such as an assertion's expression: unique and constant.
    var isSource = false

    init(sort: String, text: String? = nil) {
        self.sort = sort
        self.text = text
    }

    init(expression: String) {
        sort = expression
        isSource = true
    }
}

extension FailureWords {
    private static let longest = 80
    nonisolated(unsafe) private static let identifier =
        /\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b/
    nonisolated(unsafe) private static let address = /0x[0-9A-Fa-f]+/
    nonisolated(unsafe) private static let number = /[0-9]+(?:[.,:][0-9]+)*/

    /// For a signature. If the line already identifies the failure, the author's text is left out:
    /// a user or file name in it would split the group.
    func normalized(besideLine hasLine: Bool) -> String {
        if isSource { return Self.cut(sort) }
        guard !hasLine, let text, !text.isEmpty else { return Self.steady(sort) }
        return Self.steady("\(sort): \(text)")
    }

    /// One line, without addresses, identifiers and numbers, which differ between runs.
    private static func steady(_ words: String) -> String {
        let line = words.prefix(1_000).prefix { !$0.isNewline }
        let text = String(line)
            .replacing(identifier, with: "#")
            .replacing(address, with: "#")
            .replacing(number, with: "#")
        return cut(text)
    }

    private static func cut(_ text: String) -> String {
        text.count > longest ? String(text.prefix(longest)) + "…" : text
    }
}
