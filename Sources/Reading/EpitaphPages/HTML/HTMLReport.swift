// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A crash as one HTML page for people: what died, why and where on the first screen, everything
/// else below. The page needs no network, no scripts and no other file, and its policy forbids all
/// three.
package struct HTMLReport: Sendable {
    /// What a page shows.
    package struct Options: Sendable {
        /// Threads besides the crashing one.
        package var threads = ThreadSelection.all
        /// Which of a function's names are shown; a short one has the whole one as its title.
        package var names = ReportFrame.Names.short

        /// All threads and short names unless given.
        package init(threads: ThreadSelection = .all, names: ReportFrame.Names = .short) {
            self.threads = threads
            self.names = names
        }
    }

    let explanation: CrashExplanation
    let options: Options

    /// A page about one crash. The work is done when its text or its pieces are read.
    package init(_ explanation: CrashExplanation, options: Options = .init()) {
        self.explanation = explanation
        self.options = options
    }

    private var outline: ReportOutline {
        ReportOutline(explanation: explanation, threads: options.threads, names: options.names)
    }

    /// The whole page, from its document type on.
    package var text: String { pieces.joined() }

    /// The same text in pieces, without the whole being held in memory.
    package var pieces: [String] {
        let outline = outline
        return PageDocument(
            title: outline.headline, subject: "report",
            masthead: SummarySection.masthead(outline), sections: PageSection.all(of: outline)
        ).pieces
    }
}
