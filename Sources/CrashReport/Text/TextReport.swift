// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// A crash as text for a person: what died, why and where first; then everything else.
public struct TextReport: Sendable {
    private let explanation: CrashExplanation
    private let threads: ThreadSelection
    private let form: TextForm

    /// - Parameters:
    ///   - threads: those whose stacks are shown besides the crashing one's.
    ///   - form: what it is written for.
    public init(
        _ explanation: CrashExplanation, threads: ThreadSelection = .all, form: TextForm = .plain
    ) {
        self.explanation = explanation
        self.threads = threads
        self.form = form
    }

    /// The report's lines without line breaks, safe to print: but for the colours that were asked
    /// for, there is no control character in them.
    public var lines: [String] {
        // A file and a pipe have no screen: nothing is cut there, so nothing stands there twice.
        let screen = form.width == nil ? nil : firstScreen
        let beginning = screen?.sections ?? (fixed + flexible.map(\.section))
        return (beginning + details(screen?.wholes ?? []))
            .filter { !$0.isEmpty }.map { $0.rendered(form) }.joined(separator: [""]).map(\.self)
    }

    /// With every thread every breadcrumb is shown as well.
    private var mostBreadcrumbs: Int? { threads == .all ? nil : 20 }

    private var firstScreen: FirstScreen {
        FirstScreen(fixed: fixed, flexible: flexible, form: form)
    }

    private var fixed: [TextSection] {
        [
            SummaryText.headline(explanation), SummaryText.facts(explanation),
            SummaryText.findings(explanation),
        ]
    }

    private var flexible: [FlexibleSection] {
        let snapshot = explanation.snapshot
        let breadcrumbs = BreadcrumbText(snapshot, most: mostBreadcrumbs, form)
        return [
            FlexibleSection(
                section: SummaryText.observations(explanation), leastHeight: 3, importance: 5,
                unit: "this"),
            FlexibleSection(
                section: SummaryText.messages(snapshot.messages), leastHeight: 3,
                importance: 3, unit: "this message"),
            FlexibleSection(
                section: crashingThread(.full), brief: crashingThread(.brief), leastHeight: 5,
                importance: 4, unit: "this stack"),
            FlexibleSection(
                section: breadcrumbs.section, brief: breadcrumbs.brief, leastHeight: 3,
                importance: 2, unit: "these breadcrumbs"),
            FlexibleSection(
                section: SummaryText.annotations(snapshot.annotations), leastHeight: 3,
                importance: 1, unit: "these annotations"),
        ]
    }

    private func details(_ wholes: [TextSection]) -> [TextSection] {
        let snapshot = explanation.snapshot
        let code = [
            DetailText.problems(explanation), DetailText.code(explanation.diagnosis?.code),
        ]
        let first = [
            DetailText.process(explanation), DetailText.commandLine(snapshot),
            DetailText.environment(snapshot), DetailText.damage(explanation.completeness),
        ]
        return wholes + code + DetailText.registers(explanation, form) + first + otherThreads
            + [DetailText.modules(snapshot.modules, explanation.moduleProblems)]
    }

    private var otherThreads: [TextSection] {
        let others = explanation.otherThreads
        return switch threads {
        case .all: ThreadText.sections(others, names: form.names)
        case .crashing: [ThreadText.summary(others)]
        case .these:
            ThreadText.sections(
                others.filter { threads.contains($0.thread.id) }, names: form.names)
        }
    }

    private func crashingThread(_ detail: StackText.Detail) -> TextSection {
        guard let thread = explanation.crashingThread else {
            guard explanation.reason != nil else { return TextSection() }
            return TextSection("The crashing thread is not known.")
        }
        let title = ThreadText.title(thread)
        return TextSection(
            detail == .full ? "Crashing thread \(title):" : "Where, in short (thread \(title)):",
            detail == .full
                ? StackText.lines(thread.stack, names: form.names)
                : BriefStack.lines(thread.stack, names: form.names))
    }
}
