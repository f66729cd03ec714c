// SPDX-License-Identifier: Apache-2.0

package struct TextSection: Sendable {
    package var heading: TextLine?
    package var body: [TextLine]

    package init(_ heading: String? = nil, _ body: [TextLine] = []) {
        self.heading = heading.map { TextLine.heading($0) }
        self.body = body
    }

    /// Labels and values in two columns: `  Program     /usr/bin/exampled`.
    ///
    /// - Parameter marked: a last, highlighted row.
    package init(
        _ heading: String? = nil, rows: [ReportOutline.Row], marked: ReportOutline.Row? = nil
    ) {
        let width = rows.reduce(Self.leastLabelWidth) { max($0, TextWidth.columns($1.label)) }
        self.init(
            heading,
            rows.map { .row($0, .plain, width) } + (marked.map { [.row($0, .mark, width)] } ?? []))
    }

    private static let leastLabelWidth = 10

    package var isEmpty: Bool { heading == nil && body.isEmpty }

    package func rendered(_ form: TextForm) -> [String] {
        ((heading.map { [$0] } ?? []) + body).flatMap { $0.rendered(form) }
    }
}

extension TextLine {
    /// One line in a file, whatever its length; broken at blanks on a terminal.
    package static func heading(_ text: String) -> TextLine {
        .prose([TextSpan(text, .heading)], indent: 2, isProse: false)
    }

    package static func verbatim(_ text: String, indent: Int = 2) -> TextLine {
        TextLine(lead: [TextSpan(String(repeating: " ", count: indent))], [Chunk(text)])
    }

    fileprivate static func row(
        _ row: ReportOutline.Row, _ style: TextStyle, _ width: Int
    ) -> TextLine {
        .prose(
            lead: [TextSpan("  \(row.label.padded(to: width))  ", .faint)],
            [TextSpan(row.value, style)], isProse: false)
    }
}
