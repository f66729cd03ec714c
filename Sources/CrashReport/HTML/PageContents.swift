// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// One entry of the navigation and what it leads to.
struct PageSection {
    let id: String
    let title: String
    var count: Int?
    let markup: Markup

    /// Nil when there is nothing to show: a heading above nothing helps nobody.
    init?(_ id: String, _ title: String, count: Int? = nil, markup: Markup?) {
        guard let markup else { return nil }
        self.id = id
        self.title = title
        self.count = count
        self.markup = markup
    }
}

/// The sections of a page in their order.
struct PageContents {
    private let explanation: CrashExplanation
    private let options: HTMLReport.Options
    private let mappings: [MemoryMapping]?
    private let book: AddressBook

    init(_ explanation: CrashExplanation, _ options: HTMLReport.Options) {
        self.explanation = explanation
        self.options = options
        mappings = explanation.snapshot.files.maps.map { MemoryMapping.parse($0).mappings }
        book = AddressBook(explanation.snapshot, mappings: mappings)
    }

    var sections: [PageSection] {
        let snapshot = explanation.snapshot
        let others = explanation.otherThreads.filter { options.threads.contains($0.thread.id) }
        let all: [PageSection?] = [
            .init("why", "Why", markup: SummarySection.why(explanation)),
            .init("where", "Where", markup: StackSection.crashing(explanation, options.names)),
            .init("code", "Code", markup: CodeSection.markup(explanation.diagnosis?.code)),
            .init("registers", "Registers", markup: RegisterSection.markup(explanation, book)),
            .init("memory", "Memory", markup: MemorySection.markup(explanation, book)),
            .init(
                "threads", "Other threads", count: explanation.otherThreads.count,
                markup: ThreadSection.markup(
                    others, of: explanation.otherThreads.count, snapshot.modules, options.names)),
            .init("time-line", "Time line", markup: TimeLineSection.markup(snapshot)),
            .init(
                "annotations", "Annotations", count: snapshot.annotations.count,
                markup: FactSection.annotations(snapshot.annotations)),
            .init(
                "modules", "Modules", count: snapshot.modules.count,
                markup: ModuleSection.markup(snapshot.modules, explanation.moduleProblems)),
            .init(
                "maps", "Memory maps", count: mappings?.count,
                markup: MapSection.markup(mappings)),
            .init("system", "System", markup: FactSection.system(explanation)),
            .init("files", "Files", markup: FactSection.files(snapshot.files)),
            .init(
                "damage", "Damage", count: explanation.completeness.failures.count,
                markup: FactSection.damage(explanation.completeness)),
        ]
        return all.compactMap(\.self)
    }
}
