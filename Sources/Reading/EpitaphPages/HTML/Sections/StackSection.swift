// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum StackSection {
    /// The middle of a stack with more lines after folding is left out.
    static let mostLines = 300
    /// Outermost lines shown then.
    static let outermostLines = 40

    static func main(_ outline: ReportOutline) -> Markup? {
        if let words = outline.wordsWithoutMainThread {
            return Parts.section("where", "Where") { element("p") { words } }
        }
        guard let thread = outline.explanation.mainThread else { return nil }
        return Parts.section("where", "Where") {
            element("p", .class("note")) {
                outline.mainThreadTitle + " "
                element("b") { thread.identity }
                thread.condition.map { " (\($0))" }
            }
            markup(
                thread.stack, outline.snapshot.modules, outline.names,
                around: thread.stack?.programIndices)
            if let problems = outline.problems {
                element("div", .class("notice")) {
                    element("p") { problems.title + ":" }
                    element("ul") {
                        for problem in problems.items { element("li") { problem } }
                    }
                }
            }
        }
    }

    static func markup(
        _ stack: ReportStack?, _ modules: [ModuleSnapshot], _ names: ReportFrame.Names = .short,
        mostLines: Int = mostLines, around program: ClosedRange<Int>? = nil
    ) -> Markup {
        let outline = StackOutline(stack, showsOwn: names == .full)
        let lines = outline.lines
        let remarks = outline.remarks.map(Parts.sentence)
        guard !lines.isEmpty else {
            return element("p", .class("note")) { remarks.joined(separator: " ") }
        }
        let outermost = min(outermostLines, mostLines / 4)
        let isCut = lines.count > mostLines
        if let program, !isCut {
            return element("ol", .class("stack")) {
                folding(lines, around: program, modules, names)
                for remark in remarks { gap { remark } }
            }
        }
        return element("ol", .class("stack")) {
            for line in lines.prefix(isCut ? mostLines - outermost : mostLines) {
                markup(line, modules, names)
            }
            if isCut {
                gap { "… \((lines.count - mostLines).grouped) more lines are left out here" }
                for line in lines.suffix(outermost) { markup(line, modules, names) }
            }
            for remark in remarks { gap { remark } }
        }
    }

    /// With the lines of runtimes at both ends to be opened, if they are more than two.
    @MarkupBuilder
    private static func folding(
        _ lines: [StackOutline.Line], around program: ClosedRange<Int>,
        _ modules: [ModuleSnapshot], _ names: ReportFrame.Names
    ) -> Markup {
        let first = lines.prefix { line in
            guard case .frame(let frame) = line else { return true }
            return frame.index < program.lowerBound
        }
        let rest = lines.dropFirst(first.count)
        let last = rest.suffix(
            rest.reversed().prefix { line in
                guard case .frame(let frame) = line else { return false }
                return frame.index > program.upperBound
            }.count)
        runtimes(first, modules, names)
        for line in rest.dropLast(last.count) { markup(line, modules, names) }
        runtimes(last, modules, names)
    }

    @MarkupBuilder
    private static func runtimes(
        _ lines: ArraySlice<StackOutline.Line>, _ modules: [ModuleSnapshot],
        _ names: ReportFrame.Names
    ) -> Markup {
        if lines.count > 2 {
            gap {
                Parts.folded(Markup(text: "\(counted(lines.count, "frame")) of runtimes")) {
                    element("ol", .class("stack")) {
                        for line in lines { markup(line, modules, names) }
                    }
                }
            }
        } else {
            for line in lines { markup(line, modules, names) }
        }
    }

    @MarkupBuilder
    private static func markup(
        _ line: StackOutline.Line, _ modules: [ModuleSnapshot], _ names: ReportFrame.Names
    ) -> Markup {
        switch line {
        case .frame(let frame):
            if let omission = frame.omission { gap { "… \(omission.words)" } }
            FrameMarkup.markup(frame, modules, names)
        case .folded(let fold):
            gap {
                fold.before
                if let function = fold.function {
                    " "
                    Parts.code(function)
                }
                if let after = fold.after { " " + after }
            }
        }
    }

    private static func gap(@MarkupBuilder _ content: () -> Markup) -> Markup {
        element("li", .class("gap"), content: content)
    }
}
