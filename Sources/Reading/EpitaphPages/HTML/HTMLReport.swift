// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A crash as one HTML page: what died, why and where on the first screen, the rest below. The page
/// needs no network, scripts or other files, and its policy forbids them.
package struct HTMLReport: Sendable {
    private let outline: ReportOutline

    /// The work is done when `text` or `pieces` is read.
    ///
    /// - Parameter names: short ones have the full one as their title.
    package init(
        _ explanation: CrashExplanation, threads: ThreadSelection = .all,
        names: ReportFrame.Names = .short, recurrence: String? = nil
    ) {
        outline = ReportOutline(
            explanation: explanation, threads: threads, names: names, recurrence: recurrence)
    }

    package var text: String { pieces.joined() }

    /// The same text, never in memory as a whole.
    package var pieces: [String] {
        PageDocument(
            title: outline.headline, subject: "report",
            masthead: SummarySection.masthead(outline), sections: PageSection.all(of: outline)
        ).pieces
    }
}

extension PageSection {
    static func all(of outline: ReportOutline) -> [PageSection] {
        let explanation = outline.explanation
        let snapshot = explanation.snapshot
        let mappings = outline.maps?.mappings
        let book = AddressBook(snapshot, mappings: mappings)
        let all: [PageSection?] = [
            .init("why", "Why", SummarySection.why(outline)),
            .init("where", "Where", StackSection.main(outline)),
            .init("block", "Block", HeapSection.markup(outline)),
            .init("time-line", "Time line", TimeLineSection.markup(snapshot)),
            .init(
                "annotations", "Annotations", count: snapshot.annotations.count,
                FactSection.annotations(outline.annotations)),
            .init("code", "Code", CodeSection.markup(outline.instructions)),
            .init("registers", "Registers", RegisterSection.markup(outline, book)),
            .init("memory", "Memory", MemorySection.markup(MemoryOutline(outline, book))),
            .init(
                "threads", "Other threads", count: explanation.otherThreads.count,
                ThreadSection.markup(outline)),
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
