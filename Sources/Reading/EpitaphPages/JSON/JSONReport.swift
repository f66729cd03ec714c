// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A crash for programs: the text report's facts and more, as one JSON object that follows
/// `docs/report-schema.json`. `docs/report-json.md` says what may change within a version.
package struct JSONReport: Sendable {
    /// The `schema` of every report, and the schema's own `$id`.
    package static let schemaID = "urn:epitaph:crash-report"
    /// The `schemaVersion` of every report.
    package static let schemaVersion = 2

    private let outline: ReportOutline
    private let isPretty: Bool
    private let input: String?

    /// The work is done when the text is read or written.
    ///
    /// - Parameters:
    ///   - threads: besides the crashing one; all are counted.
    ///   - isPretty: line breaks, and two blanks for each level; otherwise one line.
    ///   - input: the report's source, as the caller names it; nil leaves it out.
    package init(
        _ explanation: CrashExplanation, threads: ThreadSelection = .all, isPretty: Bool = true,
        input: String? = nil
    ) {
        outline = ReportOutline(explanation: explanation, threads: threads)
        self.isPretty = isPretty
        self.input = input
    }

    /// Without a line break at the end. Safe to print on a terminal.
    package var text: String {
        var writer = JSONWriter(isPretty: isPretty)
        write(to: &writer)
        return writer.text
    }

    /// Writes `text` in pieces, so that a large report need not fit into memory.
    ///
    /// - Parameter receive: gets UTF-8, perhaps cut inside a character.
    package func write(to receive: ([UInt8]) -> Void) {
        withoutActuallyEscaping(receive) { receive in
            var writer = JSONWriter(isPretty: isPretty, drain: receive)
            write(to: &writer)
            writer.finish()
        }
    }

    private func write(to writer: inout JSONWriter) {
        let explanation = outline.explanation
        let snapshot = explanation.snapshot
        writer.object { writer in
            writer.member(.schema, Self.schemaID)
            writer.member(.schemaVersion, Self.schemaVersion)
            // Before everything long: this is where resuming an interrupted list looks for it.
            writer.member(.input, input)
            writer.write(kind: snapshot)
            writer.member(.host, snapshot.hostName)
            writer.write(program: outline)
            writer.write(process: snapshot)
            writer.write(times: snapshot)
            writer.write(system: snapshot)
            writer.write(reasons: explanation)
            writer.write(explanation.diagnosis ?? explanation.handledHeapError)
            writer.write(.observations, explanation.observations)
            writer.write(explanation.signature)
            writer.write(snapshot.messages)
            writer.write(threads: outline)
            writer.write(explanation.heap)
            writer.write(breadcrumbs: snapshot)
            writer.write(.annotations, snapshot.annotations)
            writer.write(modules: snapshot.modules, problems: explanation.moduleProblems)
            if !explanation.readingNotes.isEmpty {
                writer.array(.readingNotes, explanation.readingNotes)
            }
            writer.write(memory: outline)
            writer.write(snapshot.files)
            writer.write(snapshot.capture)
            writer.write(explanation.completeness)
        }
    }
}
