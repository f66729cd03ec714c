// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A crash as text for people: what died, why and where; then everything else.
package struct TextReport: Sendable {
    private let outline: ReportOutline
    private let form: TextForm

    /// - Parameter threads: threads whose stacks are shown besides the crashing one's.
    package init(
        _ explanation: CrashExplanation, threads: ThreadSelection = .all, form: TextForm = .plain,
        recurrence: String? = nil
    ) {
        outline = ReportOutline(
            explanation: explanation, threads: threads, names: form.names, recurrence: recurrence)
        self.form = form
    }

    /// Without line breaks; safe to print: no control characters except requested colours.
    package var lines: [String] {
        // Files and pipes have no screen: nothing is cut there, so nothing is repeated.
        let screen = form.width == nil ? nil : firstScreen
        let beginning = screen?.sections ?? (fixed + flexible.map(\.section))
        return (beginning + details(screen?.wholes ?? []))
            .filter { !$0.isEmpty }.map { $0.rendered(form) }.joined(separator: [""]).map(\.self)
    }

    /// If every thread is shown, so is every breadcrumb.
    private var mostBreadcrumbs: Int? { outline.threads == .all ? nil : 20 }

    private var firstScreen: FirstScreen {
        FirstScreen(fixed: fixed, flexible: flexible, form: form)
    }

    private var fixed: [TextSection] {
        [SummaryText.headline(outline), SummaryText.facts(outline)]
    }

    private var flexible: [FlexibleSection] {
        let snapshot = outline.snapshot
        let calls = HeapText.sections(outline)
        let breadcrumbs = BreadcrumbText(snapshot, most: mostBreadcrumbs, form)
        return [
            FlexibleSection(
                section: SummaryText.findings(outline), leastHeight: 2,
                // Who freed and allocated a block says more than where it was.
                importance: calls.isEmpty ? 8 : 2, unit: "this"),
            FlexibleSection(
                section: SummaryText.observations(outline), leastHeight: 2, importance: 7,
                unit: "this"),
            FlexibleSection(
                section: SummaryText.messages(outline.messages), leastHeight: 2,
                importance: 3, unit: "this message"),
            FlexibleSection(
                section: mainThread(.full), brief: mainThread(.brief), leastHeight: 3,
                importance: 6, unit: "this stack"),
        ] + calls + [
            FlexibleSection(
                section: breadcrumbs.section, brief: breadcrumbs.brief, leastHeight: 2,
                importance: 2, unit: "these breadcrumbs"),
            FlexibleSection(
                section: SummaryText.annotations(outline.annotations), leastHeight: 2,
                importance: 1, unit: "these annotations"),
        ]
    }

    private func details(_ wholes: [TextSection]) -> [TextSection] {
        let explanation = outline.explanation
        let code = [DetailText.list(outline.problems), DetailText.code(outline.instructions)]
        let first = [
            DetailText.process(outline), DetailText.list(outline.commandLine),
            DetailText.list(outline.environment), DetailText.damage(outline),
        ]
        return wholes + code + DetailText.registers(outline, form) + first + otherThreads
            + [DetailText.modules(explanation.snapshot.modules, explanation.moduleProblems)]
    }

    private var otherThreads: [TextSection] {
        outline.threads == .crashing
            ? [ThreadText.summary(outline.explanation.otherThreads)]
            : ThreadText.sections(outline.otherThreads, names: form.names)
    }

    private func mainThread(_ detail: StackText.Detail) -> TextSection {
        guard let thread = outline.explanation.mainThread else {
            return TextSection(outline.wordsWithoutMainThread)
        }
        return detail == .full
            ? TextSection(
                "\(outline.mainThreadTitle) \(thread.title):",
                StackText.lines(thread.stack, names: form.names))
            : TextSection(
                "Where, in short (thread \(thread.title)):",
                StackText.briefLines(thread.stack, names: form.names))
    }
}
