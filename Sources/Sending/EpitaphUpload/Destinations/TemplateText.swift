// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package enum TemplatePlaceholder: String, Sendable, CaseIterable {
    case uuid
    case client
    /// The file name of the report or log that is sent, for example `UUID.dmp`.
    case file
    /// The annotation `prod`.
    case product
    /// The annotation `ver`.
    case version
}

/// A text with placeholders, `{uuid}`; a literal brace is written twice.
struct TemplateText: Sendable {
    private enum Piece {
        case text(String)
        case placeholder(TemplatePlaceholder)
    }

    private var pieces: [Piece] = []

    init?(_ text: String) {
        var rest = text[...]
        while let first = rest.first {
            let isBrace = first == "{" || first == "}"
            if !isBrace {
                let plain = rest.prefix { $0 != "{" && $0 != "}" }
                pieces.append(.text(String(plain)))
                rest = rest.dropFirst(plain.count)
            } else if rest.dropFirst().first == first {
                pieces.append(.text(String(first)))
                rest = rest.dropFirst(2)
            } else {
                let word = rest.dropFirst().prefix { $0 != "}" }
                guard first == "{", word.endIndex < rest.endIndex,
                    let placeholder = TemplatePlaceholder(rawValue: String(word))
                else { return nil }
                pieces.append(.placeholder(placeholder))
                rest = rest[word.endIndex...].dropFirst()
            }
        }
    }

    func filled(with values: [TemplatePlaceholder: String], encoding: (String) -> String) -> String
    {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .placeholder(let placeholder): encoding(values[placeholder] ?? "unknown")
            }
        }.joined()
    }

    static var known: String {
        TemplatePlaceholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
    }
}
