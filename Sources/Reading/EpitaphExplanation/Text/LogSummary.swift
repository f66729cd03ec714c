// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A crash in a few lines for a program's log: what died, why, messages and first frames.
package struct LogSummary: Sendable {
    /// Listed frames of the crashing thread, inlined calls included.
    package static let frameCount = 8
    package static let messageLineCount = 4

    /// Without line breaks, colours or other control characters.
    package let lines: [String]

    package init(_ explanation: CrashExplanation) {
        let outline = ReportOutline(explanation: explanation, threads: .crashing)
        let sections = [
            SummaryText.headline(outline), SummaryText.facts(outline),
            SummaryText.findings(outline), SummaryText.observations(outline),
            Self.messages(explanation), Self.stack(outline),
        ]
        lines = sections.flatMap { $0.rendered(.plain) }
    }

    private static func messages(_ explanation: CrashExplanation) -> TextSection {
        let messages = explanation.snapshot.messages.prefix(3)
        let lines = messages.flatMap { message -> [TextLine] in
            let lines = TerminalText.lines(message.text)
            let hidden = lines.count - Self.messageLineCount
            return [.heading("Message from \(message.source):")]
                + lines.prefix(messageLineCount).map { .verbatim($0) }
                + (hidden > 0 ? [.verbatim("… \(counted(hidden, "more line"))")] : [])
        }
        return TextSection(nil, lines)
    }

    private static func stack(_ outline: ReportOutline) -> TextSection {
        guard let thread = outline.explanation.mainThread else { return TextSection() }
        let lines = StackText.lines(thread.stack, .brief)
        let hidden = lines.count - frameCount
        let shown =
            hidden > 1
            ? lines.prefix(frameCount) + [.verbatim("… \(counted(hidden, "more line"))")]
            : lines[...]
        return TextSection("\(outline.mainThreadTitle) \(thread.title):", Array(shown))
    }
}
