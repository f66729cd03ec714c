// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Threads in words.
enum ThreadWords {
    /// `4711 "worker-1"`
    static func identity(_ thread: ThreadSnapshot) -> String {
        thread.idWords + (thread.name.map { " \"\($0)\"" } ?? "")
    }

    /// What is missing of a thread, and what it was doing; nil for a complete one.
    static func condition(_ thread: ThreadSnapshot) -> String? {
        guard thread.completeness != .complete else { return nil }
        let why = thread.whyIncomplete.map { ": \($0)" } ?? ""
        let state = thread.runState.map { "; state \($0)" } ?? ""
        let call = thread.systemCall.map {
            $0 < 0 ? "; in no system call" : "; in system call \($0)"
        }
        return thread.completeness.word + why + state + (call ?? "")
    }
}

/// The threads that did not crash; those with the same stack together.
enum ThreadSection {
    /// Lines of stacks on a page. What comes behind them shows its innermost frames alone.
    static let mostLines = 10_000
    static let mostLinesOfOne = 120
    static let fewLines = 6
    static let mostGroups = 2_000

    static func markup(
        _ threads: [ExplainedThread], of count: Int, _ modules: [ModuleSnapshot],
        _ names: ReportFrame.Names
    ) -> Markup? {
        guard count > 0 else { return nil }
        let groups = groups(threads)
        return Parts.section("threads", "Other threads", note: note(threads.count, of: count)) {
            list(groups.prefix(mostGroups), modules, names)
            if groups.count > mostGroups {
                element("p", .class("note")) {
                    "\(grouped(groups.count - mostGroups)) more stacks are left out here; the "
                        + "JSON form of this report has them all."
                }
            }
        }
    }

    private static func note(_ shown: Int, of count: Int) -> String? {
        guard shown < count else { return nil }
        return "\(counted(count - shown, "thread was", "threads were")) left out of this page."
    }

    private static func list(
        _ groups: ArraySlice<[ExplainedThread]>, _ modules: [ModuleSnapshot],
        _ names: ReportFrame.Names
    ) -> Markup {
        var room = mostLines
        let items = groups.map { group in
            let stack = StackSection.markup(
                group[0].stack, modules, names, mostLines: room > 0 ? mostLinesOfOne : fewLines)
            room -= min(group[0].stack?.frames.count ?? 0, mostLinesOfOne)
            return Parts.folded(summary(group, modules)) {
                everyone(group)
                stack
            }
        }
        return element("div", .class("threads")) { items }
    }

    private struct Key: Hashable {
        let addresses: [UInt64]
        let whyIncomplete: String?
        let condition: String?
    }

    private static func groups(_ threads: [ExplainedThread]) -> [[ExplainedThread]] {
        var groups: [[ExplainedThread]] = []
        var places: [Key: Int] = [:]
        for thread in threads {
            let key = Key(
                addresses: thread.stack?.frames.map(\.address) ?? [],
                whyIncomplete: thread.stack?.whyIncomplete,
                condition: ThreadWords.condition(thread.thread))
            if let place = places[key] {
                groups[place].append(thread)
            } else {
                places[key] = groups.count
                groups.append([thread])
            }
        }
        return groups
    }

    private static func summary(
        _ group: [ExplainedThread], _ modules: [ModuleSnapshot]
    ) -> Markup {
        let condition = ThreadWords.condition(group[0].thread)
        return MarkupBuilder.buildArray([
            element("span", .class("who")) {
                if group.count > 1 {
                    element("b") { "\(grouped(group.count)) threads alike" }
                    " · "
                        + group.prefix(3).map { ThreadWords.identity($0.thread) }
                        .joined(separator: ", ") + (group.count > 3 ? ", …" : "")
                } else {
                    element("b") { ThreadWords.identity(group[0].thread) }
                }
                if let condition {
                    " "
                    Parts.tag(condition, "doubt")
                }
            },
            element("span", .class("what")) { doing(group[0].stack, modules) },
        ])
    }

    /// The innermost function with a name that is not the system's, if there is one, tells best
    /// what a thread was about.
    private static func doing(_ stack: ReportStack?, _ modules: [ModuleSnapshot]) -> Markup {
        guard let frames = stack?.frames, let first = frames.first else { return Markup() }
        let own = frames.prefix(mostLinesOfOne).first {
            $0.function != nil && !$0.isOfSystem(modules)
        }
        let frame = own ?? first
        return Parts.function(frame.nameOrPlace, whole: frame.function)
    }

    private static func everyone(_ group: [ExplainedThread]) -> Markup? {
        guard group.count > 3 else { return nil }
        let names = group.map { ThreadWords.identity($0.thread) }.joined(separator: ", ")
        return element("p", .class("note")) { names }
    }
}
