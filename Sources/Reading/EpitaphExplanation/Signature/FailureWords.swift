// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The message of a runtime or program that stopped itself.
package struct FailureWords: Sendable, Equatable {
    package var sort: String
    package var text: String?
    /// The location in the message, right even if merged traps have no line.
    package var source: ReportFrame.Source?
    /// The index of the frame whose code failed, where its and its callees' names do not tell.
    var frame: Int?
    /// True if `sort` is source text, such as an assertion's expression: unique and constant.
    var isSource = false
    /// True if digits in `sort` are part of a name.
    var isConstant = false

    init(type: String) {
        sort = type
        isConstant = true
    }

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

    /// The author's text is left out if the line identifies the failure: a user or file name in it
    /// would split the group.
    func normalized(besideLine hasLine: Bool) -> String {
        if isSource { return Self.cut(sort) }
        guard !hasLine, !isConstant, let text, !text.isEmpty else {
            return isConstant ? Self.cut(sort) : Self.steady(sort)
        }
        return Self.steady("\(sort): \(text)")
    }

    /// One line, without addresses, identifiers and numbers, which differ between runs.
    private static func steady(_ words: String) -> String {
        let line = words.prefix(1_000).prefix { !$0.isNewline }
        let text = String(line)
            .replacingRuns(identifier).replacingRuns(address).replacingRuns(number)
        return cut(text)
    }

    private static let mark = ArraySlice("#".utf8)

    /// RFC 9562: `0f8fad5b-d9cb-469f-a165-70867728950e`
    private static func identifier(_ bytes: [UInt8], _ start: Int) -> TextRun? {
        let end = start + 36
        guard end <= bytes.count, bytes[start + 8] == UInt8(ascii: "-") else { return nil }
        let parts = bytes[start..<end].split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12],
            parts.joined().allSatisfy({ $0.digitValue != nil }), !bytes.isWord(before: start),
            !bytes.isWord(at: end)
        else { return nil }
        return (end, mark)
    }

    private static func address(_ bytes: [UInt8], _ start: Int) -> TextRun? {
        guard bytes.has("0x", at: start) else { return nil }
        let end = bytes.end(from: start + 2) { $0.digitValue != nil }
        return end > start + 2 ? (end, mark) : nil
    }

    /// `7`, `1,024.5`, `10:15:00`
    private static func number(_ bytes: [UInt8], _ start: Int) -> TextRun? {
        var end = bytes.end(from: start, \.isDigit)
        guard end > start else { return nil }
        while end < bytes.count, ".,:".utf8.contains(bytes[end]) {
            let next = bytes.end(from: end + 1, \.isDigit)
            guard next > end + 1 else { break }
            end = next
        }
        return (end, mark)
    }

    private static func cut(_ text: String) -> String {
        text.count > longest ? String(text.prefix(longest)) + "…" : text
    }
}
