// SPDX-License-Identifier: Apache-2.0

/// A line of a report: a fixed lead, then chunks that wrap if the width is not enough.
package struct TextLine: Sendable {
    package struct Chunk: Sendable {
        var spans: [TextSpan]
        var ifTooLong = IfTooLong.split

        package init(_ spans: [TextSpan], ifTooLong: IfTooLong = .split) {
            self.spans = spans
            self.ifTooLong = ifTooLong
        }

        package init(_ text: String, _ style: TextStyle = .plain, ifTooLong: IfTooLong = .split) {
            self.init([TextSpan(text, style)], ifTooLong: ifTooLong)
        }

        var columns: Int { spans.reduce(0) { $0 + $1.columns } }
    }

    /// The treatment of a chunk that is longer than a terminal's line.
    package enum IfTooLong: Sendable {
        case split
        /// Cuts the middle of its first span: both ends of a function's name matter most.
        case shortenMiddle
        case shortenEnd
        /// Cuts the start of its first span: the end of a path matters most.
        case shortenStart
    }

    package var lead: [TextSpan] = []
    package var chunks: [Chunk]
    /// Indentation of all but the first line, in columns.
    package var indent = 0
    /// True if sentences wrap at `proseWidth` outside terminals.
    package var isProse = false

    package static let proseWidth = 80

    package init(lead: [TextSpan] = [], _ chunks: [Chunk], indent: Int? = nil) {
        self.lead = lead
        self.chunks = chunks
        self.indent = indent ?? lead.reduce(0) { $0 + $1.columns }
    }

    package init(_ text: String = "", _ style: TextStyle = .plain) {
        self.init([Chunk(text, style)])
    }

    /// Sentences, broken at blanks; in a file, too, if `isProse`.
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
    package func rendered(_ form: TextForm) -> [String] {
        var filler = LineFiller(form: form, lead: lead, indent: indent)
        let width = form.width ?? (isProse ? Self.proseWidth : .max)
        for chunk in chunks { filler.add(chunk, width: width, mayCut: form.width != nil) }
        return filler.finish()
    }
}

/// Text of one style. Control and format characters are escaped here, so the only escape sequences
/// in a report are those of `TextStyle`.
package struct TextSpan: Sendable, Equatable {
    package private(set) var text: String
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
