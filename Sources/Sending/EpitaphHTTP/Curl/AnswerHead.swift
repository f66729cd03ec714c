// SPDX-License-Identifier: Apache-2.0

/// The lines before and after an answer's body, including those of interim answers. They are
/// counted, so that a server cannot send them for ever.
struct AnswerHead {
    /// Of the last answer, without lines after the body: RFC 9110 6.5.1.
    private(set) var headers = AnswerHeaders()
    private(set) var isTooLarge = false
    private(set) var isComplete = false
    private var leftBytes: Int

    init(limitBytes: Int) {
        leftBytes = limitBytes
    }

    /// Adds a line with its line end. Returns false if there have been too many bytes.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Bool {
        leftBytes -= line.count
        guard leftBytes >= 0 else {
            isTooLarge = true
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        // The earlier lines belonged to an interim answer.
        if text.hasPrefix("HTTP/") {
            headers = AnswerHeaders()
            isComplete = false
            return true
        }
        if text == "\r\n" || text == "\n" { isComplete = true }
        guard !isComplete, let colon = text.firstIndex(of: ":") else { return true }
        let value = text[colon...].dropFirst().drop(while: Self.isBlank)
            .prefix { !$0.isNewline }
        let end = value.lastIndex { !Self.isBlank($0) }.map { value.index(after: $0) }
        headers.add(String(text[..<colon]), String(value[..<(end ?? value.startIndex)]))
        return true
    }

    private static func isBlank(_ character: Character) -> Bool {
        [" ", "\t", "\r", "\n", "\r\n"].contains(character)
    }
}
