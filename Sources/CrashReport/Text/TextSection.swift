// SPDX-License-Identifier: Apache-2.0

/// A part of a report: a heading and what is below it.
struct TextSection: Sendable {
    /// Nil for a part that needs no heading.
    var heading: TextLine?
    var body: [TextLine]

    init(_ heading: String? = nil, _ body: [TextLine] = []) {
        self.heading = heading.map { TextLine.heading($0) }
        self.body = body
    }

    var isEmpty: Bool { heading == nil && body.isEmpty }

    func rendered(_ form: TextForm) -> [String] {
        ((heading.map { [$0] } ?? []) + body).flatMap { $0.rendered(form) }
    }
}

extension TextLine {
    /// One line in a file, whatever its length; broken at blanks on a terminal.
    static func heading(_ text: String) -> TextLine {
        var line = TextLine.prose([TextSpan(text, .heading)], indent: 2)
        line.isProse = false
        return line
    }

    /// Text that is not ours, two columns in: its blanks stay as they are.
    static func verbatim(_ text: String, indent: Int = 2) -> TextLine {
        TextLine(lead: [TextSpan(String(repeating: " ", count: indent))], [Chunk(text)])
    }

    /// `  Program     /usr/bin/exampled`
    static func row(_ label: String, _ value: String, _ style: TextStyle = .plain) -> TextLine {
        var line = TextLine.prose(
            lead: [TextSpan("  \(label.padded(to: 10))  ", .faint)], [TextSpan(value, style)])
        line.isProse = false
        return line
    }
}
