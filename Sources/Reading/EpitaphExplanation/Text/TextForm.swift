// SPDX-License-Identifier: Apache-2.0

package struct TextForm: Sendable, Equatable {
    package var width: Int?
    /// With escape sequences of ECMA-48.
    package var hasColour: Bool
    package var names = ReportFrame.Names.short

    package static let plain = TextForm(width: nil, hasColour: false)

    package static let narrowest = 24

    /// - Parameter width: less than 24 columns count as 24.
    package init(width: Int?, hasColour: Bool, names: ReportFrame.Names = .short) {
        self.width = width.map { max($0, Self.narrowest) }
        self.hasColour = hasColour
        self.names = names
    }
}

/// The meaning of a text, which determines its colour.
package enum TextStyle: Sendable {
    case plain
    case alarm
    case heading
    case function
    case source
    case faint
    case mark

    /// Select Graphic Rendition, ECMA-48 8.3.117. The terminal's palette suits its background.
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
