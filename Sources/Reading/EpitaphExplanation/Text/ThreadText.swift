// SPDX-License-Identifier: Apache-2.0

/// Threads as text.
package enum ThreadText {
    /// A section for every thread; threads with the same stack share one that names them all.
    package static func sections(
        _ threads: [ExplainedThread], names: ReportFrame.Names = .short
    ) -> [TextSection] {
        ThreadGroup.groups(of: threads).map { group in
            let stack = StackText.lines(group.stack, names: names)
            guard group.threads.count > 1 else {
                return TextSection("Thread \(group.threads[0].title):", stack)
            }
            let condition = group.condition.map { " (\($0))" } ?? ""
            let names = group.identities.joined(separator: ", ")
            return TextSection(
                "\(counted(group.threads.count, "thread")) alike\(condition): \(names):", stack)
        }
    }

    /// How many threads there are and which, in a few lines, if their stacks are not shown.
    package static func summary(_ threads: [ExplainedThread]) -> TextSection {
        guard !threads.isEmpty else { return TextSection() }
        let named = threads.prefix(namedInSummary).map(\.identity)
        let rest = threads.count - named.count
        let list = named.joined(separator: ", ") + (rest > 0 ? " and \(rest.grouped) more" : "")
        return TextSection(
            counted(threads.count, "other thread") + ", not shown:",
            [.prose(lead: [TextSpan("  ")], [TextSpan(list)])])
    }

    private static let namedInSummary = 12
}
