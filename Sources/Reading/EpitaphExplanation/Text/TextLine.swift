// SPDX-License-Identifier: Apache-2.0

/// A line of a report: a fixed lead, and chunks behind it that move to lines of their own below if
/// the width is not enough.
package struct TextLine: Sendable {
    /// A piece that is not broken as long as it fits into a line.
    package struct Chunk: Sendable {
        var spans: [TextSpan]
        var ifTooLong = IfTooLong.split

        init(_ spans: [TextSpan], ifTooLong: IfTooLong = .split) {
            self.spans = spans
            self.ifTooLong = ifTooLong
        }

        init(_ text: String, _ style: TextStyle = .plain, ifTooLong: IfTooLong = .split) {
            self.init([TextSpan(text, style)], ifTooLong: ifTooLong)
        }

        var columns: Int { spans.reduce(0) { $0 + $1.columns } }
    }

    /// What happens to a chunk that is longer than a line. Only on a terminal: elsewhere no line is
    /// too long.
    package enum IfTooLong: Sendable {
        /// It continues on the next line.
        case split
        /// Its first span loses its middle; the beginning and the end of a function's name are the
        /// most useful.
        case shortenMiddle
        /// Its first span loses its end.
        case shortenEnd
        /// Its first span loses its beginning; the end of a path is its most useful part.
        case shortenStart
    }

    package var lead: [TextSpan] = []
    package var chunks: [Chunk]
    /// Columns that all but the first line are indented by.
    package var indent = 0
    /// Whether sentences are broken at this width even if nothing else is.
    package var isProse = false

    /// The width of prose outside terminals.
    package static let proseWidth = 80

    package init(lead: [TextSpan] = [], _ chunks: [Chunk], indent: Int? = nil) {
        self.lead = lead
        self.chunks = chunks
        self.indent = indent ?? lead.reduce(0) { $0 + $1.columns }
    }

    package init(_ text: String = "", _ style: TextStyle = .plain) {
        self.init([Chunk(text, style)])
    }

    /// Sentences, broken at blanks.
    ///
    /// - Parameter isProse: whether they are broken in a file, too.
    package static func prose(
        lead: [TextSpan] = [], _ sentences: [TextSpan], indent: Int? = nil, isProse: Bool = true
    ) -> TextLine {
        let words = sentences.flatMap { span in
            // Consecutive blanks are kept, because they can be part of a name.
            span.text.split(separator: " ", omittingEmptySubsequences: false)
                .map { Chunk(String($0), span.style) }
        }
        var line = TextLine(lead: lead, words, indent: indent)
        line.isProse = isProse
        return line
    }
}

extension TextLine {
    /// The line as one or more strings.
    package func rendered(_ form: TextForm) -> [String] {
        var filler = LineFiller(form: form, lead: lead, indent: indent)
        let width = form.width ?? (isProse ? Self.proseWidth : .max)
        for chunk in chunks { filler.add(chunk, width: width, mayCut: form.width != nil) }
        return filler.finish()
    }
}

/// Text of one style. It is made safe to print here: control and format characters are escaped, so
/// the only escape sequences in a report are those of `TextStyle`.
package struct TextSpan: Sendable, Equatable {
    private(set) var text: String
    package var style: TextStyle

    package init(_ text: String, _ style: TextStyle = .plain) {
        self.text = TerminalText.line(text)
        self.style = style
    }

    package var columns: Int { TextWidth.columns(text) }

    package mutating func append(_ other: TextSpan) {
        text += other.text
    }

    package func rendered(_ form: TextForm) -> String {
        form.hasColour ? style.coloured(text) : text
    }
}
