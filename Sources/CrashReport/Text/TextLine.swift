// SPDX-License-Identifier: Apache-2.0

/// A line of a report: a lead that stays where it is, and chunks behind it that move to lines of
/// their own below where the width is not enough.
struct TextLine: Sendable {
    /// A piece that is not broken as long as it fits into a line.
    struct Chunk: Sendable {
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

    /// What becomes of a chunk that is longer than a line. Only on a terminal: elsewhere no line is
    /// too long.
    enum IfTooLong: Sendable {
        /// It goes on in the next line.
        case split
        /// Its first span loses its middle; beginning and end of a function's name say most.
        case shortenMiddle
        /// Its first span loses its end.
        case shortenEnd
        /// Its first span loses its beginning; the end of a path says most.
        case shortenStart
    }

    var lead: [TextSpan] = []
    var chunks: [Chunk]
    /// Columns that all but the first line are indented by.
    var indent = 0
    /// Sentences are broken at this width even where nothing else is.
    var isProse = false

    /// The width of prose outside terminals.
    static let proseWidth = 80

    init(lead: [TextSpan] = [], _ chunks: [Chunk], indent: Int? = nil) {
        self.lead = lead
        self.chunks = chunks
        self.indent = indent ?? lead.reduce(0) { $0 + $1.columns }
    }

    init(_ text: String = "", _ style: TextStyle = .plain) {
        self.init([Chunk(text, style)])
    }

    /// Sentences, broken at blanks.
    static func prose(
        lead: [TextSpan] = [], _ sentences: [TextSpan], indent: Int? = nil
    ) -> TextLine {
        let words = sentences.flatMap { span in
            // Blanks that follow each other are kept: they can be part of a name.
            span.text.split(separator: " ", omittingEmptySubsequences: false)
                .map { Chunk(String($0), span.style) }
        }
        var line = TextLine(lead: lead, words, indent: indent)
        line.isProse = true
        return line
    }
}

extension TextLine {
    /// The line as one or more strings.
    func rendered(_ form: TextForm) -> [String] {
        var filler = LineFiller(form: form, lead: lead, indent: indent)
        let width = form.width ?? (isProse ? Self.proseWidth : .max)
        for chunk in chunks { filler.add(chunk, width: width, mayCut: form.width != nil) }
        return filler.finish()
    }
}

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
