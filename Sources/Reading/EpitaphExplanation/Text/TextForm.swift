// SPDX-License-Identifier: Apache-2.0

/// What a text report is written for.
package struct TextForm: Sendable, Equatable {
    /// Columns of a terminal: longer lines are broken or shortened. Nil for a file or a pipe, where
    /// nothing is ever cut.
    package var width: Int?
    /// Whether the text is coloured with escape sequences of ECMA-48.
    package var hasColour: Bool
    /// Which of a function's names are shown.
    package var names = ReportFrame.Names.short

    /// A file or a pipe.
    package static let plain = TextForm(width: nil, hasColour: false)

    /// Fewer columns than this leave no room for words.
    package static let narrowest = 24

    /// A width below 24 columns is taken for 24.
    package init(width: Int?, hasColour: Bool, names: ReportFrame.Names = .short) {
        self.width = width.map { max($0, Self.narrowest) }
        self.hasColour = hasColour
        self.names = names
    }
}

/// The meaning of a piece of text, which determines its colour.
package enum TextStyle: Sendable {
    case plain
    /// What killed the process.
    case alarm
    case heading
    case function
    case source
    /// Less important than what is around it.
    case faint
    /// Highlighted: the instruction at fault, what is doubtful or missing.
    case mark

    /// Parameters of Select Graphic Rendition, ECMA-48 8.3.117. They use the terminal's own
    /// palette, so they are readable on dark and on light backgrounds.
    private var parameters: String? {
        switch self {
        case .plain: nil
        case .alarm: "1;31"
        case .heading: "1"
        case .function: "36"
        case .source: "32"
        case .faint: "2"
        case .mark: "33"
        }
    }

    package func coloured(_ text: String) -> String {
        guard let parameters, !text.isEmpty else { return text }
        return "\u{1b}[\(parameters)m\(text)\u{1b}[0m"
    }
}
