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

extension PageSection {
    /// The sections of a page in their order.
    static func all(of outline: ReportOutline) -> [PageSection] {
        let explanation = outline.explanation
        let snapshot = explanation.snapshot
        let mappings = outline.maps?.mappings
        let book = AddressBook(snapshot, mappings: mappings)
        let all: [PageSection?] = [
            .init("why", "Why", SummarySection.why(outline)),
            .init("where", "Where", StackSection.main(outline)),
            .init("code", "Code", CodeSection.markup(outline.instructions)),
            .init("registers", "Registers", RegisterSection.markup(outline, book)),
            .init("memory", "Memory", MemorySection.markup(MemoryOutline(outline, book))),
            .init(
                "threads", "Other threads", count: explanation.otherThreads.count,
                ThreadSection.markup(outline)),
            .init("time-line", "Time line", TimeLineSection.markup(snapshot)),
            .init(
                "annotations", "Annotations", count: snapshot.annotations.count,
                FactSection.annotations(snapshot.annotations)),
            .init(
                "modules", "Modules", count: snapshot.modules.count,
                ModuleSection.markup(snapshot.modules, explanation.moduleProblems)),
            .init("maps", "Memory maps", count: mappings?.count, MapSection.markup(mappings)),
            .init("system", "System", FactSection.system(outline)),
            .init("files", "Files", FactSection.files(snapshot.files)),
            .init(
                "damage", "Damage", count: explanation.completeness.failures.count,
                FactSection.damage(outline)),
        ]
        return all.compactMap(\.self)
    }
}
