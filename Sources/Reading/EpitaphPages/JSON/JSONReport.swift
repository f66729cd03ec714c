// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A crash for programs: the facts of the text report and more, as one JSON object that follows
/// `docs/report-schema.json`. What may change within a version is described in
/// `docs/report-json.md`.
package struct JSONReport: Sendable {
    /// Stands in every report as `schema`; the schema's own `$id`.
    package static let schemaID = "urn:epitaph:crash-report"
    /// Stands in every report as `schemaVersion`.
    package static let schemaVersion = 2

    /// What is written, and how.
    package struct Options: Sendable {
        /// Threads besides the crashing one; all are counted.
        package var threads = ThreadSelection.all
        /// With line breaks and two blanks for each level; otherwise on one line.
        package var isPretty = true
        /// What the report was read from, as the caller names it; nil leaves it out.
        package var input: String?

        /// All threads, with line breaks, unless given.
        package init(
            threads: ThreadSelection = .all, isPretty: Bool = true, input: String? = nil
        ) {
            self.threads = threads
            self.isPretty = isPretty
            self.input = input
        }
    }

    private let explanation: CrashExplanation
    private let options: Options

    /// A report about one crash. The work is done when its text is read or it is written.
    package init(_ explanation: CrashExplanation, options: Options = .init()) {
        self.explanation = explanation
        self.options = options
    }

    /// The object, without a line break at the end. Nothing in it affects a terminal.
    package var text: String {
        var writer = JSONWriter(isPretty: options.isPretty)
        write(to: &writer)
        return writer.text
    }

    /// The same in pieces, so that the text of a large report need not fit into memory.
    ///
    /// - Parameter receive: gets UTF-8, which may be cut inside a character.
    package func write(to receive: ([UInt8]) -> Void) {
        withoutActuallyEscaping(receive) { receive in
            var writer = JSONWriter(isPretty: options.isPretty, drain: receive)
            write(to: &writer)
            writer.finish()
        }
    }

    private func write(to writer: inout JSONWriter) {
        let outline = ReportOutline(explanation: explanation, threads: options.threads)
        let snapshot = explanation.snapshot
        writer.object { writer in
            writer.member(.schema, Self.schemaID)
            writer.member(.schemaVersion, Self.schemaVersion)
            // In front of everything long: who continues an interrupted list looks for it here.
            writer.member(.input, options.input)
            writer.write(kind: snapshot)
            writer.member(.host, snapshot.hostName)
            writer.write(program: outline)
            writer.write(process: snapshot)
            writer.write(times: snapshot)
            writer.write(system: snapshot)
            writer.write(reasons: explanation)
            writer.write(explanation.diagnosis)
            writer.write(.observations, explanation.observations)
            writer.write(explanation.signature)
            writer.write(snapshot.messages)
            writer.write(threads: outline)
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
