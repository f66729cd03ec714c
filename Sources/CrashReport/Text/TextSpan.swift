// SPDX-License-Identifier: Apache-2.0

/// Text of one style. Whatever it is made of is safe to print from here on: control and format
/// characters are written out, so the only escape sequences in a report are those of `TextStyle`.
struct TextSpan: Sendable, Equatable {
    private(set) var text: String
    var style: TextStyle

    init(_ text: String, _ style: TextStyle = .plain) {
        self.text = TerminalText.line(text)
        self.style = style
    }

    var columns: Int { TextWidth.columns(text) }

    mutating func append(_ other: TextSpan) {
        text += other.text
    }

    func rendered(_ form: TextForm) -> String {
        form.hasColour ? style.coloured(text) : text
    }
}
