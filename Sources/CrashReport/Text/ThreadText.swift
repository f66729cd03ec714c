// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Threads as text.
enum ThreadText {
    /// `4711 "worker-1"`, and what is missing of it.
    static func title(_ thread: ExplainedThread) -> String {
        identity(thread.thread) + (condition(thread.thread).map { " (\($0))" } ?? "")
    }

    /// A section for every thread; threads with the same stack share one, which names them all.
    static func sections(
        _ threads: [ExplainedThread], names: ReportFrame.Names = .short
    ) -> [TextSection] {
        var groups: [[ExplainedThread]] = []
        var places: [GroupKey: [Int]] = [:]
        for thread in threads {
            let key = GroupKey(thread)
            let alike = places[key, default: []].first { groups[$0][0].stack == thread.stack }
            if let alike {
                groups[alike].append(thread)
            } else {
                places[key, default: []].append(groups.count)
                groups.append([thread])
            }
        }
        return groups.map { section($0, names) }
    }

    /// How many there are and who, in a few lines, where their stacks are not shown.
    static func summary(_ threads: [ExplainedThread]) -> TextSection {
        guard !threads.isEmpty else { return TextSection() }
        let named = threads.prefix(namedInSummary).map { identity($0.thread) }
        let rest = threads.count - named.count
        let list = named.joined(separator: ", ") + (rest > 0 ? " and \(rest.grouped) more" : "")
        return TextSection(
            counted(threads.count, "other thread") + ", not shown:",
            [.prose(lead: [TextSpan("  ")], [TextSpan(list)])])
    }

    private static let namedInSummary = 12

    /// Equal for threads that may be alike; whether they are, their stacks tell.
    private struct GroupKey: Hashable {
        let condition: String?
        let addresses: [UInt64]

        init(_ thread: ExplainedThread) {
            condition = ThreadText.condition(thread.thread)
            addresses = (thread.stack?.frames ?? []).map(\.address)
        }
    }

    private static func section(
        _ group: [ExplainedThread], _ names: ReportFrame.Names
    ) -> TextSection {
        let stack = StackText.lines(group[0].stack, names: names)
        guard group.count > 1 else { return TextSection("Thread \(title(group[0])):", stack) }
        let condition = condition(group[0].thread).map { " (\($0))" } ?? ""
        let names = group.map { identity($0.thread) }.joined(separator: ", ")
        return TextSection(
            "\(counted(group.count, "thread")) alike\(condition): \(names):", stack)
    }

    private static func identity(_ thread: ThreadSnapshot) -> String {
        thread.idWords + (thread.name.map { " " + TerminalText.quoted($0) } ?? "")
    }

    /// Nil for a complete thread.
    private static func condition(_ thread: ThreadSnapshot) -> String? {
        guard thread.completeness != .complete else { return nil }
        var text = thread.completeness == .partial ? "partial" : "missing"
        if let why = thread.whyIncomplete { text += ": " + why }
        if let state = thread.runState { text += "; state \(state)" }
        if let call = thread.systemCall {
            text += call < 0 ? "; in no system call" : "; in system call \(call)"
        }
        return text
    }
}
