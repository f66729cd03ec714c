// SPDX-License-Identifier: Apache-2.0

/// What a runtime or the program said when it stopped itself: which check it was, and the words.
public struct FailureWords: Sendable, Equatable {
    /// The same for all failures of one sort, whatever they were about: `Index out of range`,
    /// `fatal error`.
    public var sort: String
    /// What the program's author wrote for this one, with all that was put into it: `ledger 2 is
    /// gone`.
    public var text: String?
    /// Where the program's author wrote it, as the words themselves say: also where the optimiser
    /// made one trap of several, which has no line.
    public var source: ReportFrame.Source?
    /// Whether `sort` is a piece of the source, as the expression of an assertion: it tells the
    /// failure from all others, and nothing in it changes.
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

    /// For a signature. Where the line alone identifies the failure, the author's own words are
    /// left out: they may name a user or a file, and each would be a group of its own.
    func normalized(besideLine hasLine: Bool) -> String {
        if isSource { return Self.cut(sort) }
        guard !hasLine, let text, !text.isEmpty else { return Self.steady(sort) }
        return Self.steady("\(sort): \(text)")
    }

    /// Without what differs from run to run: addresses, identifiers, numbers. One line of it.
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
