// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

package enum ThreadText {
    /// Threads with the same stack share a section.
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

    /// Replaces the stacks: how many threads there are, and the first of them.
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
