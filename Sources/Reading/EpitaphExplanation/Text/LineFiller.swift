// SPDX-License-Identifier: Apache-2.0

package struct LineFiller {
    private let form: TextForm
    private let indent: Int
    private var lines: [String] = []
    private var current: [TextSpan]
    private var columns: Int
    private var isAtStart = true
    /// Names cut to fewer columns are useless.
    private static let leastRoom = 8

    package init(form: TextForm, lead: [TextSpan], indent: Int) {
        self.form = form
        self.indent = indent
        current = lead
        columns = lead.reduce(0) { $0 + $1.columns }
    }

    /// - Parameters:
    ///   - width: where a chunk moves to the next line.
    ///   - mayCut: whether a longer chunk may be split or shortened.
    package mutating func add(_ chunk: TextLine.Chunk, width: Int, mayCut: Bool) {
        let needed = chunk.columns
        if !isAtStart, needed > width - columns - 1 { beginLine() }
        guard mayCut, needed > width - columns - (isAtStart ? 0 : 1) else {
            return append(chunk.spans)
        }
        // Room for the first span, the only one that is shortened.
        let room = width - columns - chunk.spans.dropFirst().reduce(0) { $0 + $1.columns }
        switch chunk.ifTooLong {
        case .shortenMiddle where room >= Self.leastRoom:
            append(Self.shortened(chunk, to: room, ShortenedText.middle))
        case .shortenEnd where room >= Self.leastRoom:
            append(Self.shortened(chunk, to: room, ShortenedText.end))
        case .shortenStart where room >= Self.leastRoom:
            append(Self.shortened(chunk, to: room, ShortenedText.start))
        default: split(chunk.spans, width: width)
        }
    }

    consuming func finish() -> [String] {
        endLine()
        return lines
    }

    private mutating func endLine() {
        lines.append(current.map { $0.rendered(form) }.joined())
    }

    private mutating func beginLine() {
        endLine()
        current = [TextSpan(String(repeating: " ", count: indent))]
        columns = indent
        isAtStart = true
    }

    private mutating func append(_ spans: [TextSpan]) {
        if !isAtStart {
            // A blank between spans of one style has that style, so that a sentence is one run.
            let isOneRun = current.last?.style == spans.first?.style
            append(TextSpan(" ", isOneRun ? current.last?.style ?? .plain : .plain))
        }
        spans.forEach { append($0) }
        isAtStart = false
    }

    private mutating func append(_ span: TextSpan) {
        columns += span.columns
        if current.last?.style == span.style {
            current[current.count - 1].append(span)
        } else {
            current.append(span)
        }
    }

    private mutating func split(_ spans: [TextSpan], width: Int) {
        for span in spans {
            var rest = span.text[...]
            while !rest.isEmpty {
                // At least one character is taken, so a wide one must fit.
                if !isAtStart, columns + 1 >= width { beginLine() }
                let count = ShortenedText.prefix(rest, columns: width - columns)
                append(TextSpan(String(rest.prefix(count)), span.style))
                rest = rest.dropFirst(count)
                isAtStart = false
                if !rest.isEmpty { beginLine() }
            }
        }
    }

    private static func shortened(
        _ chunk: TextLine.Chunk, to room: Int, _ shorten: (String, Int) -> String
    ) -> [TextSpan] {
        guard let first = chunk.spans.first else { return [] }
        return [TextSpan(shorten(first.text, room), first.style)] + chunk.spans.dropFirst()
    }
}
