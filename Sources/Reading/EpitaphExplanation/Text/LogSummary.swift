// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A crash in a few lines for a program's log: what died, why, its message and the first frames.
package struct LogSummary: Sendable {
    /// Frames of the crashing thread that are listed; inlined calls count as well.
    package static let frameCount = 8
    /// Lines of each message of a runtime or of the program.
    package static let messageLineCount = 4

    /// Without line breaks, colours or any other control character.
    package let lines: [String]

    /// Summarises one crash.
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
