// SPDX-License-Identifier: Apache-2.0

/// The lines before and after an answer's body, including those of interim answers: counted, so
/// that a server cannot send them for ever, and searched for the few that matter.
struct AnswerHead {
    /// The Retry-After of the last answer, RFC 9110 10.2.3, unparsed.
    private(set) var retryAfter: String?
    private(set) var isTooLarge = false
    /// Whether the empty line after the last answer's headers was received.
    private(set) var isComplete = false
    private var leftBytes: Int

    init(limitBytes: Int) {
        leftBytes = limitBytes
    }

    /// Adds a line with its line end.
    ///
    /// - Returns: false if there have been too many bytes.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Bool {
        leftBytes -= line.count
        guard leftBytes >= 0 else {
            isTooLarge = true
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        // The earlier lines belonged to an interim answer.
        if text.hasPrefix("HTTP/") {
            retryAfter = nil
            isComplete = false
        }
        if text == "\r\n" || text == "\n" { isComplete = true }
        let name = text.prefix { $0 != ":" }
        guard name.lowercased() == "retry-after", name.count < text.count else { return true }
        let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
        let value = text.dropFirst(name.count + 1).drop { blanks.contains($0) }
        retryAfter = String(value.prefix { !$0.isNewline })
        return true
    }
}
