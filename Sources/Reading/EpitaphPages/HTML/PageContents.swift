// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

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
