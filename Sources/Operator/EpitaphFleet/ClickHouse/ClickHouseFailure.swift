// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

package enum ClickHouseFailure: Error, Sendable, Equatable {
    /// A retry may work, after so many seconds if given. The statement may have run.
    case temporary(reason: String, notBeforeSeconds: Double?)
    /// A retry will not work. `code` is the number of ClickHouse's exception, if any.
    case permanent(reason: String, code: Int?)
    case answerTooLong

    init(_ error: TransportError) {
        self =
            switch error {
            // Somebody has to change something first.
            case .invalidURL, .redirectRefused, .unavailable, .tls, .notSigned:
                .permanent(reason: "\(error)", code: nil)
            case .cannotConnect, .timedOut, .interrupted, .invalidAnswer, .bodyUnreadable,
                .answerNotKept:
                .temporary(reason: "\(error)", notBeforeSeconds: nil)
            case .answerTooLarge: .answerTooLong
            }
    }

    /// - Parameter meaning: of the status; nil for an error behind a success.
    init(_ response: UploadResponse, meaning: AnswerMeaning?) {
        let words = Self.words(response.body)
        let reason =
            words.isEmpty ? "it answers with status \(response.status)" : "it says: \(words)"
        if let code = Self.code(of: response) {
            self =
                Self.lasting.contains(code)
                ? .permanent(reason: reason, code: code)
                : .temporary(reason: reason, notBeforeSeconds: nil)
            return
        }
        self =
            switch meaning {
            case .retry(let seconds): .temporary(reason: reason, notBeforeSeconds: seconds)
            case nil, .accepted:
                .permanent(
                    reason: "what answers there is no ClickHouse, or one behind something else; "
                        + reason, code: nil)
            case .tooLarge, .refused, .destinationRefused: .permanent(reason: reason, code: nil)
            }
    }

    /// Exceptions (ErrorCodes.cpp of ClickHouse) that a retry does not change. Others may pass,
    /// such as a full disk (243), too little memory (241), too many parts (252).
    private static let lasting: Set<Int> = [
        6, 7, 8, 10, 15, 16, 20, 26, 27, 33, 38, 41, 43, 46, 47, 48, 50, 53, 57, 60, 62, 69, 70, 72,
        73, 81, 115, 117, 119, 130, 131, 164, 190, 192, 193, 194, 195, 291, 349, 386, 441, 497, 516,
    ]

    /// From the header or the text: `Code: 60, e.displayText() = …` of old servers, `Code: 60.
    /// DB::Exception: …` of current ones. It may follow a status of success.
    static func code(of response: UploadResponse) -> Int? {
        response.headers.values(of: codeHeader).last.flatMap { Int($0) } ?? code(in: response.body)
    }

    private static let codeHeader = "X-ClickHouse-Exception-Code"

    private static func code(in answer: [UInt8]) -> Int? {
        let mark = Array("Code: ".utf8)
        // An error after the first rows is the last line of an answer.
        let lines = answer.suffix(1 << 14).split(separator: UInt8(ascii: "\n"))
        for line in lines.reversed() where line.starts(with: mark) {
            let digits = line.dropFirst(mark.count).prefix { (0x30...0x39).contains($0) }
            guard String(decoding: line, as: UTF8.self).contains("DB::Exception") else { continue }
            return Int(String(decoding: digits, as: UTF8.self))
        }
        return nil
    }

    private static let mostWords = 400

    /// The server's text on one line, cut and safe for terminals.
    private static func words(_ answer: [UInt8]) -> String {
        let text = String(decoding: answer.prefix(4 * mostWords), as: UTF8.self)
        let line = String(text.unicodeScalars.prefix(mostWords)).printable { _ in " " }
        var end = line[...]
        while end.last == " " { end = end.dropLast() }
        return String(end)
    }
}
