// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum ThreadSection {
    /// Lines of all stacks on a page. Further stacks show only their innermost frames.
    static let mostLines = 10_000
    static let mostLinesOfOne = 120
    static let fewLines = 6
    static let mostGroups = 2_000
    /// Threads of a group that are named before it is unfolded.
    private static let mostNamed = 3

    static func markup(_ outline: ReportOutline) -> Markup? {
        let count = outline.explanation.otherThreads.count
        guard count > 0 else { return nil }
        let threads = outline.otherThreads
        let groups = ThreadGroup.groups(of: threads)
        return Parts.section("threads", "Other threads", note: note(threads.count, of: count)) {
            list(groups.prefix(mostGroups), outline)
            Parts.leftOut(groups.count - mostGroups, "stacks")
        }
    }

    private static func note(_ shown: Int, of count: Int) -> String? {
        guard shown < count else { return nil }
        return "\(counted(count - shown, "thread was", "threads were")) left out of this page."
    }

    private static func list(_ groups: ArraySlice<ThreadGroup>, _ outline: ReportOutline) -> Markup
    {
        let modules = outline.snapshot.modules
        var room = mostLines
        let items = groups.map { group in
            let stack = StackSection.markup(
                group.stack, modules, outline.names,
                mostLines: room > 0 ? mostLinesOfOne : fewLines)
            room -= min(group.stack?.frames.count ?? 0, mostLinesOfOne)
            return Parts.folded(summary(group, modules)) {
                if group.threads.count > mostNamed {
                    element("p", .class("note")) { group.identities.joined(separator: ", ") }
                }
                stack
            }
        }
        return element("div", .class("threads")) { items }
    }

    @MarkupBuilder
    private static func summary(_ group: ThreadGroup, _ modules: [ModuleSnapshot]) -> Markup {
        let names = group.identities
        element("span", .class("who")) {
            if names.count > 1 {
                element("b") { "\(names.count.grouped) threads alike" }
                " · " + names.prefix(mostNamed).joined(separator: ", ")
                    + (names.count > mostNamed ? ", …" : "")
            } else {
                element("b") { names[0] }
            }
            if let condition = group.condition {
                " "
                Parts.tag(condition, "doubt")
            }
        }
        element("span", .class("what")) {
            if let frame = group.representativeFrame(modules) {
                Parts.function(frame.nameOrPlace, whole: frame.function)
            }
        }
    }
}
